//! The interop run.
mod case;
mod cases;
mod json;
mod model;
mod random;
mod record;
mod sample;
mod shape;
mod stored;
mod structures;

pub(crate) type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> Result<()> {
    let dir = std::path::PathBuf::from("/tmp/interop");
    std::fs::create_dir_all(&dir)?;
    for case in cases::CASES {
        for (codec, settings) in case::CODECS {
            let file = dir.join(format!("{}-{codec}.root", case.name));
            let ntuples = (case.write)(&file, settings)?;
            check(&file, &ntuples);
        }
    }
    for s in structures::STRUCTURES {
        let file = dir.join(format!("{}.root", s.name));
        let ntuples = (s.write)(&file)?;
        check(&file, &ntuples);
    }
    Ok(())
}
fn check(file: &std::path::Path, ntuples: &[case::Ntuple]) {
    println!("{}", file.display());
    let root = rntuple::RootFile::open(file).unwrap();
    for n in ntuples {
        for (who, got) in [("T", (n.read)(&root, &n.path).map_err(|e| e.to_string())), ("Value", case::read_any(&root, &n.path).map_err(|e| e.to_string()))] {
            match got { Err(e) => println!("  {who} {e}"), Ok(c) => {
                for (name, v) in &n.values { 
                    match c.get(name) { None => println!("  {who} {name} missing"), Some(f) => if let Some(d) = json::difference(v, f, name) { println!("  {who} {d}") } }
                }
            }}
        }
    }
}
