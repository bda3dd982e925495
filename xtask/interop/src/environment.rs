//! The foreign readers, installed below the target folder in pinned versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::command::{output, run};

/// Where everything is.
#[derive(Debug)]
pub(crate) struct Environment {
    /// What the run makes.
    pub(crate) folder: PathBuf,
    /// The scripts.
    pub(crate) peers: PathBuf,
    /// A Python with uproot.
    pub(crate) python: PathBuf,
    /// The folder with JSROOT's `node_modules`.
    pub(crate) modules: PathBuf,
    pub(crate) judge: Option<Judge>,
}

/// ROOT's container code.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(crate) python: PathBuf,
    pub(crate) script: PathBuf,
}

/// Makes an environment of Python.
const INSTALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../python.sh");

/// What is missing, and where it comes from.
const DEBIAN: &str = "(Debian: apt-get install -y python3-venv nodejs npm)";

impl Environment {
    /// Finds or installs everything.
    pub(crate) fn set_up() -> Result<Self> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
        let folder = std::path::absolute(target)?.join("interop");
        let peers = workspace.join("xtask/peers");
        let versions = std::fs::read_to_string(peers.join("versions.toml"))?;
        require("python3", "import sys; sys.exit(sys.version_info < (3, 11))", "-c", "Python 3.11")?;
        require("node", "process.exit(+(parseInt(process.versions.node) < 20))", "-e", "Node 20")?;
        let python = virtual_environment(&folder.join("venv"), &packages(&versions, "python", "=="))?;
        let modules = node_modules(&folder.join("node"), &packages(&versions, "npm", "@"))?;
        let judge = match judge_script(&workspace) {
            Some(script) => {
                let packages = packages(&versions, "judge", "==");
                Some(Judge { python: virtual_environment(&folder.join("judge"), &packages)?, script })
            }
            None => None,
        };
        Ok(Self { folder, peers, python, modules, judge })
    }
}

/// `RNTUPLE_JUDGE`, else the script beside the workspace.
fn judge_script(workspace: &Path) -> Option<PathBuf> {
    let beside = || workspace.join("../shared/interop/root_tfile.py");
    let script = std::env::var_os("RNTUPLE_JUDGE").map_or_else(beside, PathBuf::from);
    script.is_file().then_some(script)
}

/// Looks for a program that is new enough.
fn require(program: &str, test: &str, flag: &str, version: &str) -> Result<()> {
    match Command::new(program).args([flag, test]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`{program}` is older than {version}, which the interop run needs").into()),
        Err(_) => Err(format!("the interop run needs `{program}`, {version} or newer {DEBIAN}").into()),
    }
}

/// The lines of a section, `name = "1.0"`, as an installer wants them: `name==1.0`.
fn packages(versions: &str, section: &str, between: &str) -> Vec<String> {
    let lines = versions.lines().map(str::trim).skip_while(|line| *line != format!("[{section}]")).skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(name, version)| [name, version].map(|word| word.trim().trim_matches('"')).join(between))
        .collect()
}

/// Whether exactly these packages were installed before; `install` installs them otherwise.
fn unless_installed(folder: &Path, packages: &[String], install: impl FnOnce() -> Result<()>) -> Result<()> {
    let stamp = folder.join("installed.txt");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    println!("installing {} into {}", packages.join(", "), folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    install()?;
    Ok(std::fs::write(stamp, wanted)?)
}

fn virtual_environment(folder: &Path, packages: &[String]) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    unless_installed(folder, packages, || {
        run(Command::new(INSTALL).arg(folder).args(packages))
            .map_err(|error| format!("the interop run needs Python's venv module {DEBIAN}\n{error}").into())
    })?;
    Ok(python)
}

fn node_modules(folder: &Path, packages: &[String]) -> Result<PathBuf> {
    unless_installed(folder, packages, || {
        output(Command::new("npm").arg("--version"))
            .map_err(|_| format!("the interop run needs `npm` {DEBIAN}"))?;
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--no-save",
        ]);
        // Else npm would look for a package further up.
        std::fs::write(folder.join("package.json"), "{}\n")?;
        run(npm.arg("--prefix").arg(folder).args(packages))
    })?;
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read() {
        let text = "# x = \"0\"\n[a]\none = \"1\"\n\n# two = \"2\"\n\"@b/c\" = \"3\"\n[d]\ne = \"4\"\n";
        assert_eq!(packages(text, "a", "=="), ["one==1", "@b/c==3"]);
        assert_eq!(packages(text, "d", "@"), ["e@4"]);
        assert!(packages(text, "f", "@").is_empty());
    }

    #[test]
    fn every_section_is_there() {
        let versions = include_str!("../../peers/versions.toml");
        for section in ["python", "npm", "judge"] {
            assert!(!packages(versions, section, "==").is_empty());
        }
    }
}
