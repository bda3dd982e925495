"""Servers that tests ask."""

import http.server
import os
import pathlib
import re
import urllib.parse


class Ranges(http.server.SimpleHTTPRequestHandler):
    """A server that sends ranges of bytes, and remembers what it was asked for."""

    protocol_version = "HTTP/1.1"
    asked: list = []

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._answer(False)

    def do_GET(self):
        self._answer(True)

    def _answer(self, has_body):
        path = self.translate_path(self.path)
        self.asked.append((self.command, self.headers.get("Range")))
        if os.path.basename(path) == "secret.root":
            self.send_error(403)
            return
        if not os.path.isfile(path):
            self.send_error(404)
            return
        with open(path, "rb") as file:
            whole = file.read()
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        body = whole[int(found[1]) : int(found[2]) + 1] if found else whole
        self.send_response(206 if found else 200)
        if found:
            self.send_header("Content-Range", f"bytes {found[1]}-{int(found[1]) + len(body) - 1}/{len(whole)}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hash(whole) & 0xFFFFFFFF:x}"')
        self.end_headers()
        if has_body:
            self.wfile.write(body)


class Folder(Ranges):
    """A server that lists folders, too, as WebDAV does."""

    def do_PROPFIND(self):
        root = pathlib.Path(self.directory)
        folder = root / urllib.parse.unquote(self.path).strip("/")
        if not folder.is_dir():
            self.send_error(404)
            return
        found = "".join(
            f"<D:response><D:href>/{file.relative_to(root)}</D:href><D:propstat><D:prop>"
            f"<D:getlastmodified>{self.date_time_string(file.stat().st_mtime)}</D:getlastmodified>"
            f"<D:getcontentlength>{file.stat().st_size}</D:getcontentlength><D:resourcetype/>"
            "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
            for file in folder.rglob("*")
            if file.is_file()
        )
        body = f'<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{found}</D:multistatus>'.encode()
        self.send_response(207)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
