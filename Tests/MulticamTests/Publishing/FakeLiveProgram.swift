import Foundation
import Glibc
import MulticamMedia

/// A replacement for `multicam-live`. It implements the line protocol without connecting, and logs its
/// arguments and input.
///
/// The address selects its behavior. `srt://refused:1` is refused, and `srt://restless:1` changes its state
/// continuously. With `srt://deaf:1`, the program stops reading and doesn't exit.
struct FakeLiveProgram: Sendable {
    /// The arguments and environment with which one process was started.
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

    /// Copies the program to another path.
    ///
    /// A separate process makes the copy. Otherwise, a child process that another test starts at the same
    /// time would inherit the file open for writing, and such a file cannot be executed (ETXTBSY).
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
            line = {"live_output": name, "state": state, "at_ns": time.monotonic_ns(), "sent_frames": output["sent"],
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

    /// How each process was started.
    func calls() throws -> [Call] {
        try lines("calls").map { try JSONDecoder().decode(Call.self, from: Data($0.utf8)) }
    }

    /// Makes processes that start from now on wait silently, or releases waiting ones.
    func setBlocked(_ isHeld: Bool) throws {
        let path = folder.path + "/held"
        if isHeld {
            try Data().write(to: URL(filePath: path))
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// The lines sent to all processes.
    var receivedLines: [String] { lines("said") }

    /// Waits until a condition holds, for at most five minutes, because tests compete for processor time.
    static func wait(for condition: () throws -> Bool) async throws -> Bool {
        let deadline = Date(timeIntervalSinceNow: 300)
        while try !condition() {
            guard Date() < deadline else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Waits on a test's thread until a condition holds, for at most five minutes.
    static func waitBlocking(for condition: () throws -> Bool) -> Bool {
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
