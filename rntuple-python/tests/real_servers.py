"""Real servers on loopback: Debian's XRootD, moto, which is S3 in Python, and nginx, which has TLS.

Where one is not installed, tests that need it are skipped; with ``RNTUPLE_SERVERS_REQUIRED=1`` they fail.
``remote-tests/setup.sh`` installs the servers.
"""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest


def _missing(what):
    if os.environ.get("RNTUPLE_SERVERS_REQUIRED") == "1":
        pytest.fail(f"{what} is required, but is not installed")
    pytest.skip(f"{what} is not installed")


def _free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _certificate(base):
    """A certificate of this machine, which is its own authority: the paths of it and of its key."""
    certificate, key = base / "host.pem", base / "host.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        + ["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return certificate, key


def _listens(process: subprocess.Popen, port: int) -> bool:
    """Waits until a server takes connections; false if it ends before, or takes too long."""
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                return False
            time.sleep(0.02)


class Xrootd:
    """A server of the files of ``folder``, at ``url``. With ``tls`` it is one of ``roots://``."""

    def __init__(self, tls=False):
        program = shutil.which("xrootd") or _missing("xrootd")
        port = _free_port()
        self._base = tempfile.TemporaryDirectory()
        base = pathlib.Path(self._base.name)
        base.chmod(0o755)
        self.url = f"{'roots' if tls else 'root'}://127.0.0.1:{port}//"
        self.folder = base / "data"
        as_root = os.geteuid() == 0
        for name in ["data", "admin", "run", "log"]:
            (base / name).mkdir()
            if as_root:
                shutil.chown(base / name, "nobody", pwd.getpwnam("nobody").pw_gid)
        config = base / "xrootd.cfg"
        config.write_text(
            f"all.role server\nall.export /\noss.localroot {self.folder}\nall.adminpath {base / 'admin'}\n"
            f"all.pidpath {base / 'run'}\nxrd.port {port}\nxrd.allow host localhost\n"
        )
        if tls:
            self.certificate, key = _certificate(base)
            if as_root:
                shutil.chown(key, "nobody")
            with config.open("a") as file:
                file.write(f"xrd.tls {self.certificate} {key}\nxrd.tlsca noverify\nxrootd.tls all\n")
        command = [program, "-c", config, "-l", base / "log" / "log", "-s", base / "run" / "pid"]
        command += ["-R", "nobody"] if as_root else []
        for is_last in [False, False, True]:
            self._process = subprocess.Popen(command, cwd=base, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # On a busy machine XRootD 5.5 rarely crashes as it starts.
            if _listens(self._process, port):
                return
            if is_last or self._process.poll() != -signal.SIGSEGV:
                pytest.fail(f"xrootd does not listen: {(base / 'log' / 'log').read_text()}")

    def put(self, path: pathlib.Path, name: str):
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())

    def stop(self):
        self._process.kill()
        self._process.wait()
        self._base.cleanup()


class Moto:
    """A server with a bucket, at ``url``. What opens URLs finds it by the environment ``settings``."""

    def __init__(self, monkeypatch):
        try:
            import boto3
            from moto.server import ThreadedMotoServer
        except ImportError:
            _missing("moto")
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        host, port = self._server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        self.settings = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "rntuple-tests",
            "AWS_SECRET_ACCESS_KEY": "not-a-secret",
            "AWS_REGION": "us-east-1",
            "no_proxy": "*",
        }
        for name, value in self.settings.items():
            monkeypatch.setenv(name, value)
        self._client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        self._client.create_bucket(Bucket="python")
        self.url = "s3://python/"

    def put(self, path: pathlib.Path, name: str):
        self._client.upload_file(str(path), "python", name)

    def stop(self):
        self._server.stop()


class Nginx:
    """A server of the files of ``folder`` over TLS, at ``url``. Its ``certificate`` is to be trusted."""

    def __init__(self):
        program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or _missing("nginx")
        port = _free_port()
        self._base = tempfile.TemporaryDirectory()
        base = pathlib.Path(self._base.name)
        self.folder = base / "data"
        self.folder.mkdir()
        self.certificate, key = _certificate(base)
        self.url = f"https://localhost:{port}/"
        places = "".join(
            f"{kind}_temp_path {base / kind};\n" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        )
        (base / "nginx.conf").write_text(
            f"daemon off; master_process off; error_log stderr warn; pid {base / 'pid'};\n"
            f"events {{}}\nhttp {{ access_log off; {places} server {{ listen 127.0.0.1:{port} ssl;\n"
            f"ssl_certificate {self.certificate}; ssl_certificate_key {key}; root {self.folder}; }} }}\n"
        )
        command = [program, "-c", base / "nginx.conf", "-p", base, "-e", "stderr"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not _listens(self._process, port):
            pytest.fail("nginx does not listen")

    def put(self, path: pathlib.Path, name: str):
        (self.folder / name).write_bytes(path.read_bytes())

    def stop(self):
        self._process.kill()
        self._process.wait()
        self._base.cleanup()
