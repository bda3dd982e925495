//! The entries of ROOT's files.

use rntuple::RNTuple;

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Lists {
    one_v_integers: Vec<i32>,
    two_v_floats: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Flag {
    one_bit: bool,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Oddities {
    empty_struct: EmptyStruct,
    variant: Odd,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "EmptyStruct")]
pub(crate) struct EmptyStruct {}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) enum Odd {
    Number(i32),
    Struct(StructForVariant),
    #[rntuple(other)]
    Valueless,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "StructForVariant")]
pub(crate) struct StructForVariant {
    i: i32,
}

/// Without the attributes that say how: the file says it.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Reals {
    trunc10: f32,
    trunc16: f32,
    trunc24: f32,
    trunc31: f32,
    quant1: f32,
    quant8: f32,
    quant16: f32,
    quant20: f32,
    quant24: f32,
    quant25: f32,
    quant32: f32,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Pair {
    one_integers: i32,
    two_floats: f32,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "LV")]
pub(crate) struct Lv {
    pt: f32,
    eta: f32,
    phi: f32,
    mass: f32,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Vectors {
    one_integers: i32,
    two_v_floats: Vec<f32>,
    #[rntuple(rename = "three_LV")]
    three: Lv,
    #[rntuple(rename = "four_v_LVs")]
    four: Vec<Lv>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Number {
    one_uint: u32,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Groups {
    one: i32,
    int_vector: Vec<i16>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Nested {
    my_struct: Top,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "TopStruct")]
pub(crate) struct Top {
    i: i32,
    sub_struct: Sub,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "SubStruct")]
pub(crate) struct Sub {
    i: i32,
    sub_sub_struct: SubSub,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "SubSubSruct")]
pub(crate) struct SubSub {
    i: i32,
    v: Vec<i32>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Split {
    one_int32: i32,
    two_uint32: u32,
    three_vint32: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Containers {
    string: String,
    vector_int32: Vec<i32>,
    array_float: [f32; 3],
    vector_vector_int32: Vec<Vec<i32>>,
    vector_string: Vec<String>,
    vector_vector_string: Vec<Vec<String>>,
    variant_int32_string: Either<i32>,
    vector_variant_int64_string: Vec<Either<i64>>,
    tuple_int32_string: (i32, String),
    pair_int32_string: (i32, String),
    vector_tuple_int32_string: Vec<Tuple>,
    lorentz_vector: Lv,
    array_lv: [Lv; 3],
}

pub(crate) type Tuple = (i32, String);

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) enum Either<T> {
    Number(T),
    Text(String),
    #[rntuple(other)]
    Valueless,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Contributors {
    #[rntuple(rename = "firstName")]
    first: String,
    #[rntuple(rename = "lastName")]
    last: String,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Staff {
    #[rntuple(rename = "Category")]
    category: i32,
    #[rntuple(rename = "Flag")]
    flag: u32,
    #[rntuple(rename = "Age")]
    age: i32,
    #[rntuple(rename = "Service")]
    service: i32,
    #[rntuple(rename = "Children")]
    children: i32,
    #[rntuple(rename = "Grade")]
    grade: i32,
    #[rntuple(rename = "Step")]
    step: i32,
    #[rntuple(rename = "Hrweek")]
    hours: i32,
    #[rntuple(rename = "Cost")]
    cost: i32,
    #[rntuple(rename = "Division")]
    division: String,
    #[rntuple(rename = "Nation")]
    nation: String,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct First {
    f: f32,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Second {
    g: i32,
}

/// Without the projections, which show the new entries by themselves.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Muons {
    _collection0: Vec<Muon>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
pub(crate) struct Muon {
    #[rntuple(rename = "Muon_pt")]
    pub(crate) pt: f32,
    #[rntuple(rename = "Muon_eta")]
    eta: f32,
    #[rntuple(rename = "Muon_phi")]
    phi: f32,
    #[rntuple(rename = "Muon_mass")]
    mass: f32,
    #[rntuple(rename = "Muon_charge")]
    charge: i32,
}

impl Muons {
    pub(crate) fn muons(&self) -> &[Muon] {
        &self._collection0
    }
}
