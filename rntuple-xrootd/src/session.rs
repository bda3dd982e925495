//! From a socket to a connection: handshake, TLS, login, authentication.

use std::io;

use crate::connection::{Abilities, Connection};
use crate::failure::{Deadline, Failure, broken, is_timeout, may_want_signature};
use crate::hosts::Hosts;
use crate::options::Options;
use crate::reassembly::CONTROL;
use crate::token;
use crate::transport::Transport;
use crate::url::Host;
use crate::wire::Fault;
use crate::wire::code::{Status, errors};
use crate::wire::login::{LoggedIn, Protocol};
use crate::wire::request::{HANDSHAKE, Request};
use crate::wire::response::{Control, HEADER, Header};

/// Connects to a server and logs in; by TLS if the URL says so, the server requires it, or a token has to be sent.
pub(crate) fn connect(
    host: &Host,
    options: &Options,
    hosts: &Hosts,
    deadline: Deadline,
) -> Result<Connection, Failure> {
    let at_login = |failure: Failure| failure.at_login(&host.address());
    let tls = host.tls || hosts.needs_tls(host);
    match log_in(host, options, hosts, tls, deadline).map_err(at_login)? {
        Login::Done(connection) => Ok(connection),
        Login::NeedsTls => {
            // The next connections begin with it.
            hosts.set_needs_tls(host);
            match log_in(host, options, hosts, true, deadline).map_err(at_login)? {
                Login::Done(connection) => Ok(connection),
                Login::NeedsTls => Err(refused("the server requires TLS, and does not start it".to_owned())),
            }
        }
    }
}

enum Login {
    Done(Connection),
    /// What is needed is only possible with TLS, and that with a new connection.
    NeedsTls,
}

fn log_in(
    host: &Host,
    options: &Options,
    hosts: &Hosts,
    tls: bool,
    deadline: Deadline,
) -> Result<Login, Failure> {
    if tls && !cfg!(feature = "tls") {
        let text = "TLS is needed, and this program was built without it: enable the feature `tls` of `rntuple-xrootd`";
        return Err(Failure::Final(io::Error::new(io::ErrorKind::Unsupported, text)));
    }
    let mut setup =
        Setup { transport: Transport::connect(host, deadline)?, deadline, security_level: 0, refusal: None };
    let user = user(host, options);
    let login = Request::login(std::process::id(), &user, &host.token);
    let protocol = Request::protocol(cfg!(feature = "tls"), tls);
    // Without a wait for what the server says in between, where the login has no secret. A server that goes to TLS takes it
    // for a part of that: then there is another connection.
    let is_eager = !tls && host.token.is_empty();
    let (greeting, login_header) = (protocol.header(STREAM), login.header(STREAM));
    let first: [&[u8]; 4] = [&HANDSHAKE, &greeting, &login_header, &login.payload];
    let count = if is_eager { first.len() } else { 2 };
    setup.transport.write_all(first.get(..count).unwrap_or_default(), &deadline)?;
    let mut protocol = setup.greeting()?;
    if is_eager && (protocol.goes_to_tls() || protocol.requires_tls() && cfg!(feature = "tls")) {
        return Ok(Login::NeedsTls);
    }
    if protocol.requires_tls() && !protocol.goes_to_tls() && cfg!(feature = "tls") {
        // The server would ask for it later: better now.
        protocol = setup.protocol()?;
    }
    setup.security_level = protocol.security_level;
    if protocol.goes_to_tls() {
        setup.start_tls(host, options, hosts)?;
    } else if tls {
        return Err(refused("the server does not offer TLS, which the URL or the token requires".to_owned()));
    }
    if !is_eager {
        setup.send(&login)?;
    }
    let answer = match setup.finish(&login) {
        Err(failure) if failure.is(errors::TLS_REQUIRED) && !setup.transport.is_tls() => {
            return Ok(Login::NeedsTls);
        }
        answer => answer?,
    };
    let LoggedIn { session, methods: offered } = LoggedIn::read(&answer).map_err(Failure::garbled)?;
    if !offered.is_empty() {
        // A token is left where the server takes one over TLS.
        let takes_token = protocol.has_tls() && offered.iter().any(|method| method == "ztn");
        let may_use_token = !setup.transport.is_tls() && takes_token;
        match setup.authenticate(&offered, &user, options) {
            Ok(true) => {}
            Ok(false) => {
                if may_use_token && find_token(options)?.is_some() {
                    return Ok(Login::NeedsTls);
                }
                return Err(advice(&offered, setup.transport.is_tls()));
            }
            Err(refusal) => {
                let is_refusal = matches!(refusal, Failure::Server { .. }) && cfg!(feature = "tls");
                if may_use_token && is_refusal && matches!(find_token(options), Ok(Some(_))) {
                    return Ok(Login::NeedsTls);
                }
                return Err(refusal);
            }
        }
    }
    let Setup { transport, security_level, refusal, .. } = setup;
    let abilities = Abilities { pages: protocol.has_pages(), security_level };
    let mut connection = Connection::new(transport, session, abilities, &deadline)?;
    connection.refusal = refusal;
    Ok(Login::Done(connection))
}

/// A connection on which one request is made at a time.
struct Setup {
    transport: Transport,
    deadline: Deadline,
    security_level: u8,
    /// Why the first method that was tried does not do, where another one does.
    refusal: Option<String>,
}

impl Setup {
    /// The answers to the first bytes, and to the question which protocol the server has.
    fn greeting(&mut self) -> Result<Protocol, Failure> {
        // To the handshake: version and kind of the server, which it says again.
        self.answer().map_err(|failure| match failure {
            Failure::Final(error) if error.kind() == io::ErrorKind::InvalidData => {
                let text = "the server at this port does not speak the protocol of XRootD (root://)";
                Failure::Final(io::Error::new(io::ErrorKind::InvalidData, text))
            }
            failure => failure,
        })?;
        self.answer().and_then(|body| Protocol::read(&body).map_err(Failure::garbled))
    }

    /// Asks for the protocol again, with TLS.
    fn protocol(&mut self) -> Result<Protocol, Failure> {
        self.send(&Request::protocol(cfg!(feature = "tls"), true))?;
        self.answer().and_then(|body| Protocol::read(&body).map_err(Failure::garbled))
    }

    #[cfg(feature = "tls")]
    fn start_tls(&mut self, host: &Host, options: &Options, hosts: &Hosts) -> Result<(), Failure> {
        let config = hosts.tls(options).map_err(Failure::Final)?;
        self.transport.start_tls(&host.name, config, self.deadline)
    }

    #[cfg(not(feature = "tls"))]
    fn start_tls(&mut self, _: &Host, _: &Options, _: &Hosts) -> Result<(), Failure> {
        Err(refused("the server starts TLS, which was not asked for".to_owned()))
    }

    /// Uses the methods of the server that are possible, one after the other until it accepts one; `false`: none is
    /// possible. The refusal of a token that the user has named is final.
    fn authenticate(&mut self, offered: &[String], user: &str, options: &Options) -> Result<bool, Failure> {
        // Why the first method that was tried does not do.
        let mut refusal = None;
        for method in offered {
            let mut is_named = false;
            let (name, credentials) = match method.as_str() {
                // A token is never sent in plain text.
                "ztn" if self.transport.is_tls() => match token::find(options.token.as_deref()) {
                    Ok(Some(token)) => {
                        is_named = token.is_named;
                        (*b"ztn\0", token::credentials(&token.value).map_err(Failure::Final)?)
                    }
                    Ok(None) => continue,
                    Err(unusable) if unusable.is_named => return Err(Failure::Final(unusable.error)),
                    Err(unusable) => {
                        refusal.get_or_insert((method, Failure::Final(unusable.error)));
                        continue;
                    }
                },
                "unix" => (*b"unix", format!("unix\0{user}\0").into_bytes()),
                "host" => (*b"host", b"host\0".to_vec()),
                _ => continue,
            };
            match self.ask(&Request::auth(name, credentials)) {
                Ok(_) => {
                    self.refusal = refusal.map(|(method, failure)| describe(method, failure));
                    return Ok(true);
                }
                Err(failure @ Failure::Server { .. }) if is_named => return Err(failure),
                Err(failure @ Failure::Server { .. }) => {
                    refusal.get_or_insert((method, failure));
                }
                Err(failure) => {
                    return Err(match refusal {
                        // Some servers end the connection after a refusal.
                        Some((_, refusal @ Failure::Server { .. })) => refusal,
                        _ => failure,
                    });
                }
            }
        }
        refusal.map_or(Ok(false), |(_, failure)| Err(failure))
    }

    fn send(&mut self, request: &Request) -> Result<(), Failure> {
        Ok(self.transport.write_all(&[&request.header(STREAM), &request.payload], &self.deadline)?)
    }

    fn ask(&mut self, request: &Request) -> Result<Vec<u8>, Failure> {
        self.send(request)?;
        self.finish(request)
    }

    /// Waits for the answer to a request that was sent, and sends it again where the server asks for that.
    fn finish(&mut self, request: &Request) -> Result<Vec<u8>, Failure> {
        loop {
            match self.answer() {
                Err(Failure::Wait { seconds, message }) => {
                    self.deadline.sleep(seconds, &message)?;
                    self.send(request)?;
                }
                answer => return answer,
            }
        }
    }

    fn answer(&mut self) -> Result<Vec<u8>, Failure> {
        loop {
            let mut header = [0; HEADER];
            self.read(&mut header)?;
            let header = Header::read(header).map_err(Failure::garbled)?;
            if header.length > CONTROL {
                return Err(Failure::garbled(Fault::TooLong));
            }
            let mut body = vec![0; usize::try_from(header.length).unwrap_or(0)];
            self.read(&mut body)?;
            match Control::read(header.status, &body).map_err(Failure::garbled)? {
                None if header.status == Status::Ok => return Ok(body),
                None if header.status == Status::Attention => {}
                None | Some(Control::AuthMore) => return Err(Failure::garbled(Fault::Unexpected)),
                // The time that the server says is the longest one.
                Some(Control::WaitResponse { .. }) => {}
                Some(Control::Wait { seconds, message }) => return Err(Failure::Wait { seconds, message }),
                Some(Control::Redirect(redirect)) => return Err(Failure::Redirect(redirect)),
                Some(Control::Error { code, message }) => {
                    let may_want_signature = may_want_signature(code, self.security_level);
                    return Err(Failure::Server { code, message, may_want_signature, refused: None });
                }
            }
        }
    }

    /// Fills `buffer`, with the deadline checked before each read.
    fn read(&mut self, mut buffer: &mut [u8]) -> Result<(), Failure> {
        while !buffer.is_empty() {
            self.transport.set_read_deadline(Some(&self.deadline))?;
            match self.transport.read(buffer) {
                Ok(0) => return Err(broken(&io::ErrorKind::UnexpectedEof.into())),
                Ok(read) => buffer = buffer.get_mut(read..).unwrap_or_default(),
                Err(error) if is_timeout(&error) => return Err(self.deadline.passed()),
                Err(error) => return Err(broken(&error)),
            }
        }
        Ok(())
    }
}

/// The stream of requests that are made one at a time.
const STREAM: u16 = 1;

fn find_token(options: &Options) -> Result<Option<token::Token>, Failure> {
    token::find(options.token.as_deref()).map_err(|unusable| Failure::Final(unusable.error))
}

/// What was wrong with a method that was tried before another one was accepted.
fn describe(method: &str, failure: Failure) -> String {
    match failure {
        Failure::Server { message, .. } => format!("the server refused `{method}`: \"{message}\""),
        Failure::Final(error) => error.to_string(),
        _ => format!("`{method}` failed"),
    }
}

/// The user name that is sent to the server: not a secret, and nothing that it could rely on.
fn user(host: &Host, options: &Options) -> String {
    let chosen = options.user.clone().or_else(|| host.user.clone());
    let name = chosen.or_else(|| std::env::var("USER").ok()).unwrap_or_default();
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).collect();
    if plain.is_empty() { "rntuple".to_owned() } else { plain }
}

/// What can be done about a server with none of the methods that this client has.
#[cold]
fn advice(offered: &[String], is_tls: bool) -> Failure {
    let names = offered.join(", ");
    let has = |name: &str| offered.iter().any(|method| method == name);
    let asks = match (has("gsi"), has("krb5")) {
        (true, true) => ": an X.509 proxy (gsi) or Kerberos (krb5), which this client does not have",
        (true, false) => ": an X.509 proxy (gsi), which this client does not have",
        (false, true) => ": Kerberos (krb5), which this client does not have",
        (false, false) => "",
    };
    let token = match (has("ztn"), is_tls) {
        (true, true) => "give a bearer token (BEARER_TOKEN, or the option `token`)",
        (true, false) => "give a bearer token (BEARER_TOKEN, or the option `token`) and a roots:// URL",
        (false, _) => {
            "give a bearer token and a roots:// URL if the server accepts tokens, or use its HTTPS door"
        }
    };
    refused(format!("the server asks who you are by {names}{asks}; {token}"))
}

fn refused(text: String) -> Failure {
    Failure::Final(io::Error::new(io::ErrorKind::PermissionDenied, text))
}
