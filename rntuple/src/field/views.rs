//! Views of fields, laid over the fields whose columns they have (format, sections 5.4 and 5.5).

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::message::nearest;
use crate::schema::{AliasColumn, ColumnDescriptor, ColumnId, FieldDescriptor, FieldId, Role, normalize};

/// A view that a type declares.
pub(super) struct Projection {
    /// The attribute, for errors.
    pub(super) text: String,
    /// The path of the field that is looked at.
    pub(super) source: String,
    /// What it is to look like: a top-level field and what is below it, with ids of their own.
    pub(super) fields: Vec<FieldDescriptor>,
}

/// Adds the fields of views after the existing ones; returns the fields whose columns they have.
///
/// # Errors
/// The first view that cannot be.
pub(super) fn add_views(
    fields: &mut Vec<FieldDescriptor>,
    projections: &[Projection],
) -> Result<Vec<(FieldId, FieldId)>> {
    if projections.is_empty() {
        return Ok(Vec::new());
    }
    let tree = Tree::of(fields);
    let mut views = Vec::new();
    for projection in projections {
        let name = projection.fields.first().map_or("", |field| &*field.name);
        let sources = tree.match_with(fields, projection).map_err(|fault| {
            Error::invalid_argument(format!("`{}` cannot be: {fault}", projection.text)).in_field(name)
        })?;
        views.push(sources);
    }
    let mut pairs = Vec::new();
    for (projection, sources) in projections.iter().zip(views) {
        let known = fields.len();
        let id_of = |index: usize| FieldId(u32::try_from(known + index).unwrap_or(u32::MAX));
        for (index, (field, source)) in projection.fields.iter().zip(sources).enumerate() {
            let mut field = field.clone();
            field.parent = field.parent.map(|parent| id_of(parent.index()));
            field.projection_source = Some(source.id);
            if let Some(described_by) = source.described_by.and_then(|id| fields.get(id.index())) {
                field.description.clone_from(&described_by.description);
                if field.type_name == described_by.type_name {
                    field.type_alias.clone_from(&described_by.type_alias);
                }
            }
            fields.push(field);
            pairs.push((id_of(index), source.id));
        }
    }
    Ok(pairs)
}

/// The columns of views, in the order of the columns that they stand for.
pub(super) fn alias_columns<'a>(
    views: &[(FieldId, FieldId)],
    columns: impl Iterator<Item = &'a ColumnDescriptor>,
) -> Vec<AliasColumn> {
    if views.is_empty() {
        return Vec::new();
    }
    let mut by_field: HashMap<FieldId, Vec<ColumnId>> = HashMap::new();
    for (id, column) in (0..).map(ColumnId).zip(columns) {
        by_field.entry(column.field).or_default().push(id);
    }
    let aliases = views.iter().flat_map(|(view, source)| {
        let columns = by_field.get(source).into_iter().flatten();
        columns.map(|column| AliasColumn::new(*column, *view))
    });
    aliases.collect()
}

/// What a field of a view looks at.
#[derive(Clone, Copy)]
struct Source {
    id: FieldId,
    /// The field whose description and type alias the view shows too.
    described_by: Option<FieldId>,
}

/// Existing fields, by their parents.
struct Tree {
    children: HashMap<Option<FieldId>, Vec<FieldId>>,
}

impl Tree {
    fn of(fields: &[FieldDescriptor]) -> Self {
        let mut children: HashMap<_, Vec<_>> = HashMap::new();
        for (id, field) in (0..).map(FieldId).zip(fields) {
            children.entry(field.parent).or_default().push(id);
        }
        Self { children }
    }

    fn children(&self, parent: Option<FieldId>) -> &[FieldId] {
        self.children.get(&parent).map_or(&[], Vec::as_slice)
    }

    /// For each field of a view, the field whose columns it has.
    fn match_with(
        &self,
        fields: &[FieldDescriptor],
        projection: &Projection,
    ) -> std::result::Result<Vec<Source>, String> {
        let mut matching = Matching {
            fields,
            tree: self,
            views: Tree::of(&projection.fields),
            projection,
            sources: vec![None; projection.fields.len()],
        };
        let chain = matching.find()?;
        let mut view = FieldId(0);
        if let Some((&last, above)) = chain.split_last() {
            // Each collection on the way is one of the view's.
            for &id in above {
                if let Some(item) = matching.step(view, id)? {
                    view = item;
                }
            }
            matching.pair(view, last)?;
            // Whatever is on the way, the view shows what is at the end of it.
            let is_counted = projection.fields.get(view.index()).is_some_and(FieldDescriptor::is_cardinality);
            if let Some(Some(top)) = matching.sources.first_mut() {
                top.described_by = Some(last).filter(|_| !is_counted);
            }
        }
        matching.sources.into_iter().collect::<Option<_>>().ok_or_else(|| "it has no end".to_owned())
    }
}

/// A view being laid over what it looks at.
struct Matching<'a> {
    fields: &'a [FieldDescriptor],
    tree: &'a Tree,
    views: Tree,
    projection: &'a Projection,
    /// By field of the view.
    sources: Vec<Option<Source>>,
}

type Outcome<T> = std::result::Result<T, String>;

impl<'a> Matching<'a> {
    fn field(&self, id: FieldId) -> Outcome<&'a FieldDescriptor> {
        self.fields.get(id.index()).ok_or_else(|| format!("there is no field {id}"))
    }

    fn view(&self, id: FieldId) -> Outcome<&'a FieldDescriptor> {
        self.projection.fields.get(id.index()).ok_or_else(|| format!("the view has no field {id}"))
    }

    /// The fields on the way to the one that is looked at, and that one.
    fn find(&self) -> Outcome<Vec<FieldId>> {
        let mut chain: Vec<FieldId> = Vec::new();
        for part in self.projection.source.split('.') {
            loop {
                let siblings = self.tree.children(chain.last().copied());
                let named = siblings.iter().find(|id| self.field(**id).is_ok_and(|field| field.name == part));
                if let Some(&id) = named {
                    chain.push(id);
                    break;
                }
                // Items need not be named.
                let is_collection = match chain.last() {
                    Some(&last) => self.field(last)?.role == Role::Collection,
                    None => false,
                };
                match siblings {
                    [item] if is_collection => chain.push(*item),
                    _ => {
                        let names = siblings.iter().filter_map(|id| Some(&*self.field(*id).ok()?.name));
                        let help = nearest(part, names).map(|near| format!("; did you mean `{near}`?"));
                        let source = &self.projection.source;
                        return Err(format!("there is no field `{source}`{}", help.unwrap_or_default()));
                    }
                }
            }
        }
        match chain.first() {
            Some(&top) if self.field(top)?.projection_source.is_some() => {
                Err(format!("`{}` is projected itself", self.projection.source))
            }
            _ => Ok(chain),
        }
    }

    /// A field on the way: of a collection the view has one too, whose item is the next of the view.
    fn step(&mut self, view: FieldId, id: FieldId) -> Outcome<Option<FieldId>> {
        let field = self.field(id)?;
        if field.array_size.is_some() {
            return Err(format!("{} is an array, whose items have no columns of their own", self.shown(id)));
        }
        match field.role {
            Role::Record => Ok(None),
            Role::Collection => self.pair_one(view, id).map(Some),
            _ => Err(format!("`{}` lies inside {}", self.projection.source, self.shown(id))),
        }
    }

    /// A collection of the view and the one that it looks at; returns the item of the view's.
    fn pair_one(&mut self, view: FieldId, id: FieldId) -> Outcome<FieldId> {
        let (seen, field) = (self.view(view)?, self.field(id)?);
        let item = match *self.views.children(Some(view)) {
            [item] if seen.role == Role::Collection && fits(&seen.type_name, &field.type_name) => item,
            _ => return Err(self.differ(view, id)),
        };
        self.look(view, id, None);
        Ok(item)
    }

    /// The field of a view, and the field that it looks at, with all below them.
    fn pair(&mut self, view: FieldId, id: FieldId) -> Outcome<()> {
        let (seen, field) = (self.view(view)?, self.field(id)?);
        if seen.is_cardinality() && field.role == Role::Collection && field.array_size.is_none() {
            self.look(view, id, None);
            return Ok(());
        }
        if field.array_size.is_some() {
            return Err(format!("{} is an array, which cannot be projected", self.shown(id)));
        }
        match (seen.role, field.role) {
            (Role::Collection, Role::Collection) => {
                let seen_item = self.pair_one(view, id)?;
                self.look(view, id, Some(id));
                match self.tree.children(Some(id)) {
                    [item] => self.pair(seen_item, *item),
                    _ => Err(self.differ(view, id)),
                }
            }
            (Role::Record, Role::Record)
                if seen.type_name.is_empty() || is_same_type(&seen.type_name, &field.type_name) =>
            {
                self.look(view, id, Some(id));
                for member in self.views.children(Some(view)).to_vec() {
                    let name = &self.view(member)?.name;
                    let named = |id: &&FieldId| self.field(**id).is_ok_and(|field| field.name == *name);
                    let Some(&source) = self.tree.children(Some(id)).iter().find(named) else {
                        return Err(format!("{} has no member `{name}`", self.shown(id)));
                    };
                    self.pair(member, source)?;
                }
                Ok(())
            }
            (Role::Plain | Role::Streamer, _)
                if seen.role == field.role
                    && is_same_type(&seen.type_name, &field.type_name)
                    && seen.array_size.is_none() =>
            {
                self.look(view, id, Some(id));
                // The type of an enum has its number as a child, in both.
                let (own, theirs) = (self.views.children(Some(view)).to_vec(), self.tree.children(Some(id)));
                if own.len() != theirs.len() {
                    return Err(self.differ(view, id));
                }
                own.into_iter().zip(theirs).try_for_each(|(view, id)| self.pair(view, *id))
            }
            (_, Role::Variant) => Err(format!("{} is a variant, which cannot be projected", self.shown(id))),
            _ => Err(self.differ(view, id)),
        }
    }

    fn look(&mut self, view: FieldId, id: FieldId, described_by: Option<FieldId>) {
        if let Some(source) = self.sources.get_mut(view.index()) {
            *source = Some(Source { id, described_by });
        }
    }

    /// What errors call a field: `` `muons._0.pt` ``
    fn shown(&self, id: FieldId) -> String {
        let mut names = Vec::new();
        let mut at = self.fields.get(id.index());
        while let Some(field) = at {
            names.push(&*field.name);
            at = field.parent.and_then(|parent| self.fields.get(parent.index()));
        }
        names.reverse();
        format!("`{}`", names.join("."))
    }

    fn differ(&self, view: FieldId, id: FieldId) -> String {
        let kind = |field: Option<&FieldDescriptor>| match field {
            Some(field) if !field.type_name.is_empty() => format!("`{}`", field.type_name),
            Some(field) => format!("an untyped {}", field.role.name()),
            None => "nothing".to_owned(),
        };
        let (seen, found) = (self.projection.fields.get(view.index()), self.fields.get(id.index()));
        format!("{} is {}, not {}", self.shown(id), kind(found), kind(seen))
    }
}

/// Whether a view of this type shows what has the other one, which an older file may have as it was spelled.
fn is_same_type(seen: &str, source: &str) -> bool {
    seen == source || seen == normalize(source)
}

/// Whether a view of this type can show a collection: a list shows any, other types only their own.
fn fits(seen: &str, source: &str) -> bool {
    let template = |name: &str| name.split('<').next().unwrap_or_default().to_owned();
    const LISTS: &[&str] = &["", "std::vector", "ROOT::VecOps::RVec", "std::list", "std::deque"];
    LISTS.contains(&&*template(seen)) || template(seen) == template(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_show_types_of_other_spellings() {
        assert!(is_same_type("Hit<std::int32_t>", "Hit<int>"));
        assert!(is_same_type("Hit<function>", "Hit<function>"));
        assert!(!is_same_type("Hit<std::int32_t>", "Hit<float>"));
    }

    #[test]
    fn lists_show_any_collection_and_others_their_like() {
        assert!(fits("std::vector<float>", "std::optional<float>"));
        assert!(fits("", "std::set<float>"));
        assert!(fits("std::set<float>", "std::set<float>"));
        for other in ["std::set<float>", "std::optional<float>", "std::map<float,float>"] {
            assert!(!fits(other, "std::vector<float>"), "{other}");
        }
    }
}
