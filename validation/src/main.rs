//! `validation`: writes and reads the files of the RNTuple Validation Suite.
//!
//! ```text
//! validation list                            the categories
//! validation write DIR [--only PREFIX]       DIR/CATEGORY.root
//! validation read DIR OUT [--only PREFIX]    OUT/CATEGORY.json of each DIR/CATEGORY.root that is there
//! ```
//!
//! A file that is not there is told, and is no failure. Everything else that goes wrong is told and gives exit
//! code 1, behind the other categories.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rntuple_validation::{CATEGORIES, Category, Result};

/// Writes and reads the files of ROOT's RNTuple Validation Suite
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the names of the categories
    List(Selection),
    /// Write DIR/CATEGORY.root for each category
    Write {
        /// Where the files go; made if it is not there
        dir: PathBuf,
        #[command(flatten)]
        selection: Selection,
    },
    /// Read each DIR/CATEGORY.root that is there, and write OUT/CATEGORY.json
    Read {
        /// Where the files are
        dir: PathBuf,
        /// Where the documents go; made if it is not there
        out: PathBuf,
        /// Read without knowledge of the schemas
        #[arg(long)]
        dynamic: bool,
        #[command(flatten)]
        selection: Selection,
    },
}

#[derive(Debug, Parser)]
struct Selection {
    /// Only this category, or those whose names begin so: `types.map`; may be said several times
    #[arg(long, value_name = "PREFIX")]
    only: Vec<String>,
}

impl Selection {
    fn categories(&self) -> Result<Vec<&'static Category>> {
        let named = |prefix: &String| CATEGORIES.iter().any(|category| category.name.starts_with(&**prefix));
        if let Some(unknown) = self.only.iter().find(|prefix| !named(prefix)) {
            return Err(format!("no category begins with `{unknown}`").into());
        }
        let wanted = |category: &&Category| {
            self.only.is_empty() || self.only.iter().any(|prefix| category.name.starts_with(&**prefix))
        };
        Ok(CATEGORIES.iter().filter(wanted).collect())
    }
}

fn main() -> ExitCode {
    match run(&Args::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("validation: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether nothing failed.
fn run(command: &Command) -> Result<bool> {
    match command {
        Command::List(selection) => {
            for category in selection.categories()? {
                println!("{}", category.name);
            }
            Ok(true)
        }
        Command::Write { dir, selection } => {
            std::fs::create_dir_all(dir)?;
            each(selection, |category| category.write(&file(dir, category)).map(|()| None))
        }
        Command::Read { dir, out, dynamic, selection } => {
            std::fs::create_dir_all(out)?;
            each(selection, |category| {
                let file = file(dir, category);
                if !file.exists() {
                    return Ok(Some(format!("there is no {}", file.display())));
                }
                let text = if *dynamic { category.read_dynamic(&file)? } else { category.read(&file)? };
                std::fs::write(out.join(format!("{}.json", category.name)), text)?;
                Ok(None)
            })
        }
    }
}

fn file(dir: &Path, category: &Category) -> PathBuf {
    dir.join(format!("{}.root", category.name))
}

/// Does something for each category, and tells what it returns; whether all went well.
fn each(selection: &Selection, job: impl Fn(&Category) -> Result<Option<String>>) -> Result<bool> {
    let mut is_good = true;
    for category in selection.categories()? {
        match job(category) {
            Ok(None) => println!("{}: done", category.name),
            Ok(Some(note)) => println!("{}: {note}", category.name),
            Err(error) => {
                eprintln!("validation: {}: {error}", category.name);
                is_good = false;
            }
        }
    }
    Ok(is_good)
}
