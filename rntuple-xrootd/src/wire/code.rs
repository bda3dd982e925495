//! The numbers of the protocol.

use std::io::ErrorKind;

macro_rules! numbers {
    ($(#[$doc:meta])* $type:ident { $($name:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $type { $($name = $value,)* }

        impl $type {
            /// The entry with this number.
            #[allow(dead_code, reason = "requests are only written")]
            pub(crate) fn of(number: u16) -> Option<Self> {
                match number { $($value => Some(Self::$name),)* _ => None }
            }

            #[allow(dead_code, reason = "answers are only read")]
            pub(crate) fn number(self) -> u16 {
                self as u16
            }

            #[allow(dead_code, reason = "errors name requests")]
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$name => concat!("kXR_", stringify!($name)),)* }
            }
        }
    };
}

numbers! {
    /// What is asked for.
    #[allow(non_camel_case_types, reason = "the names of the protocol, which errors show")]
    Code {
        auth = 3000,
        query = 3001,
        close = 3003,
        dirlist = 3004,
        protocol = 3006,
        login = 3007,
        mv = 3009,
        open = 3010,
        ping = 3011,
        read = 3013,
        rm = 3014,
        sync = 3016,
        stat = 3017,
        write = 3019,
        endsess = 3023,
        readv = 3025,
        pgread = 3030,
    }
}

numbers! {
    /// What kind of answer it is.
    Status {
        Ok = 0,
        OkSoFar = 4000,
        Attention = 4001,
        AuthMore = 4002,
        Error = 4003,
        Redirect = 4004,
        Wait = 4005,
        WaitResponse = 4006,
        Pages = 4007,
    }
}

/// The version of the protocol that this client speaks: 5.1.1.
pub(crate) const VERSION: u32 = 0x0511;

/// Bits of a `kXR_protocol` request.
pub(crate) mod asks {
    pub(crate) const SECURITY: u8 = 0x01;
    pub(crate) const ABLE_TLS: u8 = 0x02;
    pub(crate) const WANT_TLS: u8 = 0x04;
    /// A login comes next.
    pub(crate) const EXPECT_LOGIN: u8 = 0x03;
}

/// Bits of what a server says it is, in its answer to `kXR_protocol`.
pub(crate) mod server {
    pub(crate) const HAS_TLS: u32 = 0x8000_0000;
    pub(crate) const GOES_TO_TLS: u32 = 0x4000_0000;
    /// TLS is required for data, for the login, or for the session.
    pub(crate) const REQUIRES_TLS: u32 = 0x0100_0000 | 0x0400_0000 | 0x0800_0000;
    pub(crate) const HAS_PAGES: u32 = 0x0020_0000;
}

/// What a client says it can do when it logs in.
pub(crate) mod ability {
    /// Redirections may be URLs.
    pub(crate) const FULL_URL: u8 = 1;
    /// Addresses may be of IPv4 and IPv6.
    pub(crate) const BOTH_IP: u8 = 8;
    /// Answers may come later, in `kXR_attn`; the client is as of version 5.
    pub(crate) const CAPABILITIES: u8 = 128 | 5;
}

/// Bits of a `kXR_open` request.
pub(crate) mod opens {
    pub(crate) const NEW: u16 = 0x0008;
    pub(crate) const READ: u16 = 0x0010;
    pub(crate) const UPDATE: u16 = 0x0020;
    pub(crate) const MAKE_PATH: u16 = 0x0100;
    pub(crate) const RETURN_STAT: u16 = 0x0400;
    /// Permissions of a new file: `rw-r--r--`.
    pub(crate) const MODE: u16 = 0o644;
}

/// Bits of the flags of a `kXR_stat` answer.
pub(crate) mod stats {
    pub(crate) const DIRECTORY: u32 = 2;
    #[cfg(feature = "object-store")]
    pub(crate) const OTHER: u32 = 4;
}

/// Kinds of a `kXR_query`.
pub(crate) mod queries {
    pub(crate) const CHECKSUM: u16 = 3;
    pub(crate) const CONFIG: u16 = 7;
}

/// The action of a `kXR_attn` that has a late answer in it.
pub(crate) const LATE_ANSWER: u32 = 5008;

/// Errors of a server that something depends on.
pub(crate) mod errors {
    pub(crate) const FILE_LOCKED: u32 = 3003;
    pub(crate) const NOT_AUTHORIZED: u32 = 3010;
    pub(crate) const EXISTS: u32 = 3018;
    pub(crate) const SIGNATURE: u32 = 3022;
    pub(crate) const TLS_REQUIRED: u32 = 3028;
    /// The server does not have such a request: ArgInvalid, ArgMissing, InvalidRequest, Unsupported.
    pub(crate) const OF_REQUEST: [u32; 4] = [3000, 3001, 3006, 3013];
    /// The server fails, or does not have the file: FSError, IOError, NoMemory, NotFound, ServerError, Overloaded.
    pub(crate) const OF_SERVER: [u32; 6] = [3005, 3007, 3008, 3011, 3012, 3024];
}

/// The errors of servers: number, name, and what the standard library calls it.
const ERRORS: &[(u32, &str, ErrorKind)] = &[
    (3000, "ArgInvalid", ErrorKind::InvalidInput),
    (3001, "ArgMissing", ErrorKind::InvalidInput),
    (3002, "ArgTooLong", ErrorKind::InvalidInput),
    (3003, "FileLocked", ErrorKind::ResourceBusy),
    (3004, "FileNotOpen", ErrorKind::Other),
    (3005, "FSError", ErrorKind::Other),
    (3006, "InvalidRequest", ErrorKind::InvalidInput),
    (3007, "IOError", ErrorKind::Other),
    (3008, "NoMemory", ErrorKind::Other),
    (3009, "NoSpace", ErrorKind::StorageFull),
    (3010, "NotAuthorized", ErrorKind::PermissionDenied),
    (3011, "NotFound", ErrorKind::NotFound),
    (3012, "ServerError", ErrorKind::Other),
    (3013, "Unsupported", ErrorKind::Unsupported),
    (3014, "noserver", ErrorKind::HostUnreachable),
    (3015, "NotFile", ErrorKind::InvalidInput),
    (3016, "isDirectory", ErrorKind::IsADirectory),
    (3017, "Cancelled", ErrorKind::Interrupted),
    (3018, "ItExists", ErrorKind::AlreadyExists),
    (3019, "ChkSumErr", ErrorKind::InvalidData),
    (3020, "inProgress", ErrorKind::ResourceBusy),
    (3021, "overQuota", ErrorKind::QuotaExceeded),
    (3022, "SigVerErr", ErrorKind::PermissionDenied),
    (3023, "DecryptErr", ErrorKind::InvalidData),
    (3024, "Overloaded", ErrorKind::ResourceBusy),
    (3025, "fsReadOnly", ErrorKind::ReadOnlyFilesystem),
    (3026, "BadPayload", ErrorKind::InvalidInput),
    (3027, "AttrNotFound", ErrorKind::NotFound),
    (3028, "TLSRequired", ErrorKind::PermissionDenied),
    (3029, "noReplicas", ErrorKind::NotFound),
    (3030, "AuthFailed", ErrorKind::PermissionDenied),
    (3031, "Impossible", ErrorKind::Unsupported),
    (3032, "Conflict", ErrorKind::Other),
    (3033, "TooManyErrs", ErrorKind::Other),
    (3034, "ReqTimedOut", ErrorKind::TimedOut),
];

/// The name and kind of an error of a server.
pub(crate) fn error(number: u32) -> (&'static str, ErrorKind) {
    let row = ERRORS.iter().find(|row| row.0 == number);
    row.map_or(("unknown", ErrorKind::Other), |row| (row.1, row.2))
}
