//! `rntuple codegen`: source code for the schema of an ntuple.

use std::io::{self, Write};

use rntuple::{Dataset, Limits, RootFile};
use rntuple_codegen::{Options, cxx, rust};

use crate::args::Codegen;
use crate::failure::{Failure, Status};
use crate::ntuple;

pub(crate) fn run(args: &Codegen, limits: Limits) -> Result<Status, Failure> {
    let file = RootFile::open(&args.file)?.with_limits(limits);
    let path = ntuple::choose(&file, args.ntuple.as_deref())?;
    let dataset = Dataset::open(&file, &path)?;
    let schema = dataset.schema();
    let mut options = Options::new().name(args.name.as_deref().unwrap_or(dataset.name()));
    for field in &args.value {
        if schema.find(field).is_none() {
            let message = format!("{}: {path}: there is no field {field}", file.name());
            return Err(Failure::Message(Status::Usage, message));
        }
        options = options.value(field);
    }
    let source = if args.cxx {
        let source = cxx(schema, &options);
        format!("{}\n// LinkDef.h\n{}", source.header, source.link_def)
    } else if args.link_def {
        cxx(schema, &options).link_def
    } else {
        rust(schema, &options)
    };
    io::stdout().lock().write_all(source.as_bytes())?;
    Ok(Status::Good)
}
