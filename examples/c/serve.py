"""Serves a file as an event stream, a few bytes at a time, to one client:  python3 serve.py FILE

Prints its address first. For the example fetch.c, which needs a server, and for nothing else.
"""

import http.server
import pathlib
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        stream = pathlib.Path(sys.argv[1]).read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        # Chunks of 37 bytes split every frame at a different position.
        for start in range(0, len(stream), 37):
            chunk = stream[start : start + 37]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.handle_request()
