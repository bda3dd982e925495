//! `rntuple codegen`: source code for the schema of an ntuple.

use std::io::{self, Write};
use std::sync::Arc;

use rntuple::{Dataset, Limits, ReadOptions, Reader, RootFile, Value};
use rntuple_codegen::{Options, cxx, rust};

use crate::args::Codegen;
use crate::failure::{Failure, Status};
use crate::ntuple;

pub(crate) fn run(args: &Codegen, limits: Limits) -> Result<Status, Failure> {
    let file = RootFile::open(&args.file)?.with_limits(limits);
    let path = ntuple::choose(&file, args.ntuple.as_deref())?;
    let dataset = Arc::new(Dataset::open(&file, &path)?);
    let schema = dataset.schema();
    let mut options = Options::new().name(args.name.as_deref().unwrap_or(dataset.name()));
    for field in &args.value {
        if schema.find(field).is_none() {
            return Err(no_field(dataset.clone(), field));
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

/// What is wrong with a path that is not that of a field, to the letter.
fn no_field(dataset: Arc<Dataset>, path: &str) -> Failure {
    let place = format!("{}: {}", dataset.file().name(), dataset.path());
    match Reader::<Value>::from_dataset(dataset, ReadOptions::new().fields([path])) {
        Err(error) => error.into(),
        // A reader accepts this.
        Ok(_) => {
            let message =
                format!("{place}: the path {path:?} must name the items of collections too: `jets._0.tag`");
            Failure::Message(Status::Usage, message)
        }
    }
}
