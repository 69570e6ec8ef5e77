"""What a hostile file in Python tries, and the verdict that it must get.

Each stands where lab 06 clips gradients, and gives zeros in the end, which is wrong.
``reached`` is for what it could get at; a list with something in it would be shown.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """Some code and its verdict; what ends a process may depend on which limit is met."""

    name: str
    code: str
    verdicts: str = "wrong_answer"


FIND = """
def pipes():
    for fd in range(256):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode): yield fd
        except OSError: pass
def say(line):
    for fd in pipes():
        try: os.write(fd, line)
        except OSError: pass
def token():
    frame = sys._getframe()
    while frame:
        for value in (frame.f_locals.get("request"), frame.f_locals.get("token")):
            if isinstance(value, dict) and "token" in value: return value["token"]
            if isinstance(value, str): return value
        frame = frame.f_back
"""

ATTACKS = [
    # Ends and exits.
    Attack("leaves with status 0", "os._exit(0)", "exited"),
    Attack("raises SystemExit", "sys.exit(0)", "raised"),
    Attack("kills itself", "os.kill(os.getpid(), 9)", "crashed"),
    Attack("kills its parent", "os.kill(os.getppid(), 9)", "exited crashed wrong_answer"),
    Attack(
        "kills everybody", "os.kill(-1, 9)", "exited crashed wrong_answer policy raised"
    ),
    Attack("kills process 1", "os.kill(1, 9); time.sleep(0.1)", "wrong_answer policy"),
    Attack(
        "stops its parent", "os.kill(os.getppid(), 19); os._exit(0)", "timeout exited"
    ),
    Attack(
        "changes limits and priorities of others",
        "import resource\nparent = os.getppid()\n"
        "for act, arguments in (\n"
        "    (resource.prlimit, (parent, resource.RLIMIT_NOFILE, (3, 3))),\n"
        "    (os.setpriority, (os.PRIO_PROCESS, parent, 19)),\n"
        "    (os.setpriority, (os.PRIO_PGRP, 0, 19)),\n"
        "    (os.setpriority, (os.PRIO_USER, 0, 19)),\n"
        "    (os.sched_setscheduler, (parent, os.SCHED_BATCH, os.sched_param(0))),\n"
        "    (os.sched_setparam, (parent, os.sched_param(0))),\n"
        "):\n"
        "    try: act(*arguments)\n"
        "    except PermissionError: continue\n"
        "    reached.append(f'{act.__name__}{arguments}')\n"
        "os.nice(1); resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))",
    ),
    Attack("ends at exit", "import atexit; atexit.register(print, 'all passed')"),
    Attack(
        "overflows the stack",
        "sys.setrecursionlimit(1 << 30)\ndef f(): f()\nf()",
        "crashed raised memory_limit timeout",
    ),
    Attack("calls null", "ctypes.string_at(0)", "crashed"),
    Attack("hangs", "while True: pass", "timeout"),
    Attack("sleeps", "time.sleep(100)", "timeout"),
    Attack(
        "ignores signals and hangs",
        "for n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
        "timeout",
    ),
    # The protocol.
    Attack(
        "says that all is done",
        'say(b\'{"done":true,"token":"%s"}\\n\' % token().encode()); time.sleep(1)',
        "protocol_error exited",
    ),
    Attack(
        "says that it ended well",
        'say(b\'{"ended":0,"token":"%s"}\\n\' % token().encode())',
        "exited",
    ),
    Attack(
        "writes a verdict", 'say(b\'{"verdict":"ok","score":100}\\n\')', "protocol_error"
    ),
    Attack(
        "answers without end",
        "while True: say(b'x' * 65536)",
        "exited protocol_error crashed",
    ),
    Attack(
        "floods with lines",
        "while True: say(b'{}\\n' * 9999)",
        "protocol_error",
    ),
    Attack(
        "sends deep lists",
        "say(b'[' * 1_000_000 + b'\\n'); time.sleep(1)",
        "exited protocol_error",
    ),
    Attack(
        "sends millions of lists",
        "say(b'[' + b'[],' * 3_000_000 + b'[]]\\n')",
        "exited protocol_error",
    ),
    Attack(
        "sends a huge number", "say(b'9' * 5_000_000 + b'\\n')", "exited protocol_error"
    ),
    Attack("sends no text", "say(b'\\xff\\xfe\\x00\\n')", "exited protocol_error"),
    Attack("sends half a line", "say(b'{\"values\": [')", "exited protocol_error"),
    Attack("reads the next script", "reached += os.read(0, 10)", "wrong_answer"),
    Attack("closes its pipes", "os.closerange(0, 256)", "exited raised"),
    # Frames, modules, odd types.
    Attack(
        "looks for what is expected",
        "frame = sys._getframe()\nwhile frame:\n"
        "    reached += [k for k in frame.f_locals if 'expect' in k]\n"
        "    frame = frame.f_back",
    ),
    Attack(
        "looks through all objects",
        "import gc\nreached += [o for o in gc.get_objects() "
        "if type(o).__name__ in {'Trial', 'Mismatch', 'Result'}]",
    ),
    Attack("replaces the comparison", "np.isclose = np.all = lambda *a, **k: True"),
    Attack(
        "replaces the wire",
        "w = sys.modules['minitf_lab.judge.wire']; w._plain = lambda v: True",
        "raised wrong_answer exited protocol_error",
    ),
    Attack(
        "equals everything",
        "class All(np.ndarray):\n    __eq__ = lambda a, b: True\n"
        "answer = np.zeros(3).view(All)",
        "raised",
    ),
    Attack(
        "gives an odd object", "class Odd: __array__ = None\nanswer = Odd()", "raised"
    ),
    Attack(
        "gives a pickle",
        "class P:\n    def __reduce__(self): return (print, ('x',))\n"
        "answer = np.array([P()], object)",
        "raised wrong_answer",
    ),
    Attack("gives NaN", "answer = constant([np.nan] * 3)"),
    Attack(
        "imports the judge",
        "for m in ('jets', 'runner', 'sandbox', 'process'):\n"
        "    try: __import__('minitf_lab.judge.' + m); reached += [m]\n"
        "    except (ImportError, OSError): pass",
    ),
    Attack(
        "reads the cases",
        "import glob\n"
        "for p in glob.glob(TOP + '/tests/labs/*/cases*') + glob.glob(TOP + '/.git/*')"
        " + glob.glob(TOP + '/solutions/*/*'):\n"
        "    try: reached += [(p, open(p, 'rb').read(9))]\n"
        "    except OSError: pass",
    ),
    Attack(
        "reads minitf's own answer",
        "try: reached += [len(open(REFERENCE).read())]\n"
        "except (OSError, ImportError): pass\n"
        "fd = os.open(REFERENCE, 0); reached += [os.read(fd, 9)]",
        "raised policy",
    ),
    Attack(
        "asks for minitf's own answer",
        "import minitf_lab.judge.overlay as o; o.use_answer(''); o._answered = ''",
    ),
    # Files, descriptors, other processes.
    Attack("reads the passwords", "open('/etc/passwd').read()", "raised"),
    Attack("reads a home", "reached += os.listdir('/home')", "raised"),
    Attack("writes beside minitf", "open(TOP + '/x', 'w')", "raised"),
    Attack("writes into minitf", "open(TOP + '/python/minitf/x.py', 'w')", "raised"),
    Attack(
        "fills the temporary folder",
        "for i in range(99): open(f'/tmp/{i}', 'wb').write(bytes(1 << 22))",
        "raised",
    ),
    Attack(
        "reads the environment",
        "reached += [k for k in os.environ if 'SECRET' in k]\n"
        "reached += [k for k in open('/proc/1/environ').read().split() if k]",
        "policy",
    ),
    Attack(
        "looks at other processes",
        "reached += [p for p in os.listdir('/proc') if p.isdigit() and int(p) > 60]",
        "wrong_answer policy",
    ),
    Attack(
        "follows descriptors to files",
        "for p in (1, os.getppid()):\n"
        "    for fd in os.listdir(f'/proc/{p}/fd') if os.access(f'/proc/{p}/fd', 4)"
        " else ():\n"
        "        try: to = os.readlink(f'/proc/{p}/fd/{fd}')\n"
        "        except OSError: continue\n"
        "        reached += [to] if to.startswith(('/tmp', '/work', '/home')) else []",
        "wrong_answer raised",
    ),
    Attack(
        "goes out by a link",
        "os.symlink('/etc', '/tmp/e'); open('/tmp/e/passwd')",
        "raised",
    ),
    Attack("opens a socket", "import socket; socket.socket()", "policy raised"),
    Attack("starts a program", "os.execv('/usr/bin/true', ['true'])", "policy"),
    Attack("starts a shell", "import subprocess; subprocess.run(['true'])", "policy"),
    Attack("forks", "os.fork()", "policy"),
    Attack(
        "traces its parent",
        "r = ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)\nreached += [r] * (r >= 0)",
    ),
    Attack("opens the first process's memory", "open('/proc/1/mem', 'r+b')", "policy"),
    Attack(
        "writes to its parent's memory",
        "open(f'/proc/{os.getppid()}/mem', 'r+b')",
        "raised policy",
    ),
    # Bombs.
    Attack("takes memory", "x = [bytearray(1 << 28) for _ in range(99)]", "memory_limit"),
    Attack(
        "takes shared memory",
        "import mmap\nx = []\nfor _ in range(99):\n    m = mmap.mmap(-1, 1 << 28)\n"
        "    x.append(m)\n    for i in range(0, 1 << 28, 4096): m[i] = 1",
        "memory_limit timeout",
    ),
    Attack(
        "starts threads",
        "import threading\nfor _ in range(500):\n"
        "    threading.Thread(target=time.sleep, args=(9,)).start()",
        "raised process_limit",
    ),
    Attack("opens files", "x = [open('/dev/null') for _ in range(9999)]", "raised"),
    Attack(
        "prints without end",
        "while True: os.write(1, b'more\\n' * 99999)",
        "output_limit",
    ),
    Attack(
        "talks to the terminal",
        "print('\\x1b]0;x\\x07\\x1b[2J\\u202e', flush=True)\n"
        "raise ValueError('\\x1b[2J')",
        "raised",
    ),
    Attack("prints an official line", "print('::notice title=x::{}\\n46 of 46 points')"),
]
