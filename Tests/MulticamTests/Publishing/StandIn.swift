import Foundation
import Glibc
import Media

/// A program in place of `multicam-live`: it speaks its lines, connects to nobody, and notes how it was called and what it was told.
///
/// What an address asks for happens: `srt://refused:1` is refused, `srt://restless:1` changes its mind without end, and with
/// `srt://deaf:1` it no longer listens, nor ends.
struct StandIn: Sendable {
    /// What one process was started with.
    struct Call: Decodable {
        let process: Int32
        let arguments: [String]
        let variables: [String]
    }

    let folder: URL
    var program: String { folder.path + "/live" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "live-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = Self.text.replacing("FOLDER", with: folder.path)
        try text.write(toFile: program + ".py", atomically: true, encoding: .utf8)
        try copy(to: program)
    }

    /// Puts the program to another place.
    ///
    /// By a process of its own: a child that another test starts while this one has the file open for writing has it open, too, and
    /// nothing that is open for writing can be started (ETXTBSY).
    func copy(to path: String) throws {
        try Reader.run("install", ["-m", "700", program + ".py", path])
    }

    private static let text = #"""
        #!/usr/bin/env python3
        import json, os, sys, threading, time
        wanted, lock = {}, threading.Lock()

        def note(file, text):
            with open("FOLDER/" + file, "a") as out:
                out.write(text + "\n")

        def tell(name, output, state, text=None):
            line = {"publication": name, "state": state, "at_ns": time.monotonic_ns(), "sent_frames": output["sent"],
                    "dropped_frames": output["sent"] // 10, "bitrate": 1000000, "queue_ns": 0}
            if text:
                line["text"] = text
            print(json.dumps(line), flush=True)

        def go_on():
            while True:
                time.sleep(0.02)
                with lock:
                    for name, output in wanted.items():
                        if "restless" in output["url"]:
                            for index in range(20):
                                tell(name, output, "waiting" if index % 2 else "connected", f"reason {index}")
                        elif "refused" in output["url"]:
                            tell(name, output, "refused", "srt://refused:1 refuses the key.")
                        else:
                            output["sent"] += 10
                            tell(name, output, "connected")

        note("calls", json.dumps({"process": os.getpid(), "arguments": sys.argv[1:], "variables": list(os.environ)}))
        print("rubbish", flush=True)
        while os.path.exists("FOLDER/held"):
            time.sleep(0.1)
            print("rubbish", flush=True)
        threading.Thread(target=go_on, daemon=True).start()
        for text in sys.stdin:
            note("said", text.strip())
            order = json.loads(text)
            with lock:
                if "publish" in order:
                    wanted[order["publish"]["name"]] = {"url": order["publish"]["url"], "sent": 0}
                if "unpublish" in order:
                    output = wanted.pop(order["unpublish"])
                    output["sent"] += 1
                    tell(order["unpublish"], output, "ended")
            while any("deaf" in output["url"] for output in wanted.values()):
                time.sleep(1)
        note("said", "end")
        """#

    private func lines(_ file: String) -> [String] {
        let text = FileManager.default.contents(atPath: folder.path + "/" + file) ?? Data()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// What each process was started with.
    func calls() throws -> [Call] {
        try lines("calls").map { try JSONDecoder().decode(Call.self, from: Data($0.utf8)) }
    }

    /// Has each process that begins from now on do nothing and tell nothing, or those that wait so go on.
    func hold(_ isHeld: Bool) throws {
        let path = folder.path + "/held"
        if isHeld {
            try Data().write(to: URL(filePath: path))
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// What all processes were told.
    var said: [String] { lines("said") }

    /// Waits until something holds, for at most five minutes: tests wait for one another's processor time.
    static func wait(for condition: () throws -> Bool) async throws -> Bool {
        let deadline = Date(timeIntervalSinceNow: 300)
        while try !condition() {
            guard Date() < deadline else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Waits on a thread of a test until something holds, for at most five minutes.
    static func waits(for condition: () throws -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 300)
        while Date() < deadline {
            do {
                if try condition() { return true }
            } catch {
                return false
            }
            usleep(10_000)
        }
        return false
    }

    func remove() {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("left behind: \(folder.path): \(error)")
        }
    }
}
