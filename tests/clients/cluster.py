"""A PostgreSQL of the run, and a dumb proxy in front of several hosts."""

import contextlib
import glob
import itertools
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

# Timeouts only prevent hanging; they are not asserted.
TIMEOUT = 120
# The user `nobody`, because PostgreSQL refuses root.
NOBODY = 65_534


def binaries():
    """The folder with the programs of the newest PostgreSQL from Debian; `None` if none is installed."""
    found = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    found.sort(key=lambda path: float(path.split("/")[4]))
    return pathlib.Path(found[-1]).parent if found else None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Postgres:
    """A server in a temporary folder. It writes durably, as in production."""

    def __init__(self):
        self.programs, self.port, self.databases = binaries(), free_port(), 0
        self.folder = tempfile.mkdtemp()
        self.as_user = {}
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
            self.as_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        data = f"{self.folder}/data"
        self.run("initdb", "-D", data, "-U", "gleaner", "--auth=trust", "-E", "UTF8", "--locale=C")
        settings = {"listen_addresses": "127.0.0.1", "port": self.port, "max_connections": 300,
                    "unix_socket_directories": self.folder}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self.process = subprocess.Popen([self.programs / "postgres", "-D", data, *options],
                                        stderr=subprocess.DEVNULL, cwd=self.folder, **self.as_user)
        deadline = time.monotonic() + TIMEOUT
        ready = [self.programs / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, stdout=subprocess.DEVNULL, check=False).returncode:
            assert self.process.poll() is None and time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.05)

    def run(self, program, *arguments):
        subprocess.run([self.programs / program, *arguments], check=True, stdout=subprocess.DEVNULL,
                       cwd=self.folder, **self.as_user)

    def create(self):
        """The URL of a new database."""
        self.databases += 1
        name = f"gleaner_{self.databases}"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "gleaner", name)
        return f"postgresql://gleaner@127.0.0.1:{self.port}/{name}"

    def close(self):
        # With SIGTERM it would wait for its clients.
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder)


class RoundRobin:
    """Gives each connection to the next host, and knows nothing about what it carries."""

    def __init__(self, hosts):
        self.ports = itertools.cycle([int(host.rpartition(":")[2]) for host in hosts])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.carry, args=(client, next(self.ports)), daemon=True).start()

    @staticmethod
    def carry(client, port):
        try:
            host = socket.create_connection(("127.0.0.1", port))
        except OSError:
            client.close()
            return
        back = threading.Thread(target=RoundRobin.copy, args=(host, client), daemon=True)
        back.start()
        RoundRobin.copy(client, host)
        back.join()
        client.close()
        host.close()

    @staticmethod
    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self):
        # Wakes `accept`.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
