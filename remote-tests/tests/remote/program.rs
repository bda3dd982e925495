//! The program `rntuple` with URLs: what it prints of a file on a server is what it prints of the same file on a disk.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rntuple::{RNTuple, WriteOptions, Writer};
use rntuple_remote_tests::sample::{Event, Events};
use rntuple_remote_tests::servers::{ACCESS_KEY, Moto, Nginx, SECRET_KEY, Xrootd};

/// The program with its features `remote` and `dataset`: that of the variable `RNTUPLE_PROGRAM`, a path from the workspace
/// on. Without that it is compiled here, since Cargo compiles programs only for tests of their own package.
fn program() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        if let Some(path) = env::var_os("RNTUPLE_PROGRAM") {
            return Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(path);
        }
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "rntuple-cli", "--features", "remote,dataset"]);
        let output = build.args(["--message-format", "json"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8(output.stdout).unwrap();
        let (_, rest) = messages.rsplit_once("\"executable\":\"").unwrap();
        PathBuf::from(rest.split_once('"').unwrap().0)
    });
    Command::new(program)
}

/// A server, and what the program needs to reach it.
struct Server {
    /// URL of the folder.
    url: String,
    environment: Vec<(&'static str, String)>,
}

impl Server {
    fn of_moto(moto: &Moto, bucket: &str) -> Self {
        let environment = vec![
            ("AWS_ENDPOINT_URL", moto.endpoint()),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY.to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ];
        Self { url: format!("s3://{bucket}"), environment }
    }

    /// Exit code, standard output, standard error.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        let output = program().args(arguments).env("no_proxy", "*").envs(environment).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    /// What is printed of `a.root` and `b.root` here is what is printed of them in a folder. `fails` is a line about a file
    /// that does not exist.
    fn check_reading(&self, folder: &str, fails: &str) {
        let (far, near) = (NAMES.map(|name| self.url(name)), NAMES.map(|name| format!("{folder}/{name}")));
        for arguments in [
            &["ls", "{a}"][..],
            &["ls", "--json", "{a}", "{b}"],
            &["dump", "{a}", "--entries", "1490..1510", "--fields", "number,muons.pt"],
            &["dump", "{b}", "--where", "number == 77"],
            &["dump", "{c}", "--attributes", "Runs"],
            &["dump", "{c}", "--attributes", "Runs", "--entries", "40..60"],
            &["ls", "{c}"],
            &["check", "{a}", "{b}"],
            &["codegen", "{b}"],
            &["codegen", "--cxx", "{b}"],
            &["stats", "{a}"],
            &["stats", "--json", "--sorted-by", "number", "{b}"],
        ] {
            let given = |files: &[String; 3]| {
                let [a, b, c] = files;
                let given = |text: &&str| text.replace("{a}", a).replace("{b}", b).replace("{c}", c);
                arguments.iter().map(given).collect::<Vec<_>>()
            };
            let [here, there] = [given(&near), given(&far)].map(|arguments| {
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                self.run(&arguments)
            });
            assert_eq!((here.0, &*here.2), (0, ""), "{arguments:?}: {here:?}");
            assert_eq!((there.0, &*there.2), (0, ""), "{arguments:?}: {there:?}");
            assert!(!here.1.is_empty() && there.1 == here.1.replace(folder, &self.url), "{arguments:?}");
        }

        let (code, out, error) = self.run(&["dump", &self.url("none.root")]);
        assert_eq!((code, &*out), (3, ""), "{error}");
        assert!(error.contains(&self.url("none.root")) && error.contains(fails), "{error}");
    }

    /// As [`check_reading`](Self::check_reading). What is written here is read.
    fn check(&self, folder: &str, fails: &str) {
        self.check_reading(folder, fails);
        let far = NAMES.map(|name| self.url(name));
        // A pattern is the shell's affair in a folder, and the program's here.
        let (code, listed, error) = self.run(&["ls", &self.url("*.root")]);
        assert_eq!((code, &*error), (0, ""));
        assert_eq!(listed, self.run(&["ls", &far[0], &far[1], &far[2]]).1);

        // Both into one, which is written there.
        let both = self.url("both.root");
        let (code, _, error) = self.run(&["merge", &both, &far[0], &far[1]]);
        assert_eq!(code, 0, "{error}");
        let count = |out: &str| out.lines().count();
        let single: usize = far[..2].iter().map(|file| count(&self.run(&["dump", file]).1)).sum();
        let (code, dumped, error) = self.run(&["dump", &both]);
        assert_eq!((code, count(&dumped), &*error), (0, single, ""));
        assert_eq!(self.run(&["check", "--quiet", &both]), (0, String::new(), String::new()));
        self.check_statistics(&far[1]);

        // What is saved of a whole file is all of it.
        let saved = self.url("saved.root");
        let (code, out, error) = self.run(&["recover", &far[0], "-o", &saved]);
        assert_eq!((code, &*error), (0, ""), "{out}");
        assert!(out.contains(&saved), "{out}");
        assert_eq!(self.run(&["dump", &saved]), self.run(&["dump", &far[0]]));
        let (code, _, error) = self.run(&["recover", &far[0], "-o", &saved]);
        assert!(code != 0 && error.contains("exist"), "{error}");
    }

    /// Statistics are put next to a file, and replace nothing unless this is asked for.
    fn check_statistics(&self, file: &str) {
        let (good, side) = ((0, String::new(), String::new()), self.url("side.root"));
        assert_eq!(self.run(&["stats", file, "-o", &side]), good);
        let (code, out, error) = self.run(&["stats", file, "--from", &side]);
        assert!(code == 0 && out.contains(", kept"), "{out}{error}");
        let (code, _, error) = self.run(&["stats", file, "-o", &side, "--sorted-by", "number"]);
        assert!(code == 2 && error.contains(&side) && error.contains("--force replaces it"), "{error}");
        assert_eq!(self.run(&["stats", file, "--from", &side]).1, out);
        assert_eq!(self.run(&["stats", file, "-o", &side, "--sorted-by", "number", "--force"]), good);
        assert!(self.run(&["stats", file, "--from", &side]).1.contains(", kept, sorted by number"));
        let (code, _, error) = self.run(&["stats", file, "--add"]);
        assert!(code == 2 && error.contains("a file at a URL cannot be changed"), "{error}");
    }

    /// A data set there of `a.root` and `b.root`, from which a file is written.
    fn check_dataset(&self) {
        let good = |arguments: &[&str]| {
            let (code, out, error) = self.run(&[&["dataset"], arguments].concat());
            assert_eq!((code, &*error), (0, ""), "{arguments:?}: {out}");
            out
        };
        let (place, all) = (self.url("events.rnds"), self.url("exported.root"));
        let [a, b] = ["a.root", "b.root"].map(|name| self.url(name));
        good(&["create", &place, &a]);
        good(&["append", &place, &b]);
        let listed = good(&["ls", &place]);
        assert!(listed.contains(&a) && listed.contains(&b), "{listed}");
        good(&["check", &place]);
        good(&["export", &place, &all]);
        let lines = |file: &str| self.run(&["dump", file]).1;
        assert_eq!(lines(&all), lines(&a) + &lines(&b));
    }
}

/// What is said of some events.
#[derive(RNTuple)]
struct Run {
    number: u32,
    generator: String,
}

const NAMES: [&str; 3] = ["a.root", "b.root", "c.root"];

/// A folder with three files, of which the last one has attributes.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.root");
    let mut writer = Writer::<Event>::create(path, Events::NAME, WriteOptions::new()).unwrap();
    let runs = writer.attributes::<Run>("Runs").unwrap();
    for number in 0..3 {
        let range = runs.begin(&writer).unwrap();
        (0..30).for_each(|event| writer.fill(&Event::new(event)).unwrap());
        range.commit(&writer, &Run { number, generator: format!("generator {number}") }).unwrap();
    }
    writer.finish().unwrap();
    fs::write(folder.path().join("a.root"), Events::small().write().unwrap()).unwrap();
    fs::write(folder.path().join("b.root"), Events::new(1, 200).write().unwrap()).unwrap();
    folder
}

#[test]
fn over_xrootd() {
    let Some(server) = Xrootd::start() else { return };
    let folder = folder();
    for name in NAMES {
        fs::copy(folder.path().join(name), server.folder().join(name)).unwrap();
    }
    let url = server.url("/").trim_end_matches('/').to_owned();
    let server = Server { url: format!("{url}/"), environment: Vec::new() };
    server.check(folder.path().to_str().unwrap(), "no such file");
}

#[test]
fn over_s3() {
    let Some(moto) = Moto::start() else { return };
    moto.create_bucket("program").unwrap();
    let folder = folder();
    for name in NAMES {
        moto.put("program", name, &fs::read(folder.path().join(name)).unwrap()).unwrap();
    }
    let server = Server::of_moto(&moto, "program");
    server.check(folder.path().to_str().unwrap(), "there is no such object");
    server.check_dataset();
    // There it cannot begin a query.
    assert_eq!(server.run(&["ls", &server.url("?.root")]), server.run(&["ls", &server.url("[abc].root")]));
}

#[test]
fn over_https() {
    let Some(nginx) = Nginx::start() else { return };
    let folder = folder();
    for name in NAMES {
        fs::copy(folder.path().join(name), nginx.folder().join(name)).unwrap();
    }
    let authority = nginx.authority().to_str().unwrap().to_owned();
    let environment = vec![("SSL_CERT_FILE", authority.clone())];
    let server = Server { url: nginx.tls_url(""), environment };
    server.check_reading(folder.path().to_str().unwrap(), "there is no such object");
    let (code, _, error) = server.run(&["merge", &server.url("all.root"), &server.url("a.root")]);
    assert!(code != 0 && error.contains(&server.url("all.root")), "{error}");
    // A server is not read whose certificate no one has signed that the user trusts.
    let other = folder.path().join("empty.pem");
    fs::write(&other, "").unwrap();
    let environment = vec![("SSL_CERT_FILE", other.to_str().unwrap().to_owned())];
    let (code, out, error) = Server { environment, ..server }.run(&["ls", &nginx.tls_url("/a.root")]);
    assert_eq!((code, &*out), (3, ""), "{error}");
    assert!(error.contains(&nginx.tls_url("/a.root")) && error.contains("certificate"), "{error}");
}
