import Foundation
import Glibc

/// A command that runs: its standard output can be waited for line by line, and it can be sent signals.
///
/// It is killed after ten minutes, which is much even on a busy machine, so that a test that waits for what never comes fails instead of hanging.
final class RunningCommand {
    private let process = Process()
    private let output = Pipe()
    private let errorFile: URL
    private var pending: [UInt8] = []
    private var allOutput: [UInt8] = []
    private let watchdog: any DispatchSourceTimer

    init(
        _ command: [String], environment: [String: String] = Multicam.environment, in folder: Scratch? = nil,
        terminal: Terminal? = nil
    ) throws {
        errorFile = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = environment
        if let folder { process.currentDirectoryURL = folder.url }
        process.standardInput = terminal?.end ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try terminal?.end ?? FileHandle(forWritingTo: errorFile)
        try process.run()
        let number = process.processIdentifier
        watchdog = DispatchSource.makeTimerSource()
        watchdog.schedule(deadline: .now() + 600)
        watchdog.setEventHandler { kill(number, SIGKILL) }
        watchdog.resume()
    }

    deinit {
        watchdog.cancel()
        unlink(errorFile.path)
    }

    /// The next line of standard output; `nil` when there is none any more.
    func nextLine() -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                return line
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { return nil }
            pending += data
            allOutput += data
        }
    }

    /// Reads events until one of a name has come.
    func event(_ name: String) throws -> [String: Any] {
        while let line = nextLine() {
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            if event["event"] as? String == name { return event }
        }
        throw Failure(description: "the command ended without the event `\(name)`: \(try errors)")
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Nobody reads what it prints any more.
    func closeOutput() throws { try output.fileHandleForReading.close() }

    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal
            ? -process.terminationStatus : process.terminationStatus
    }

    /// Reads the rest and waits for the end.
    func finish() throws -> Multicam.Outcome {
        while nextLine() != nil {}
        let status = waitForEnd()
        return Multicam.Outcome(
            status: status, output: String(decoding: allOutput, as: UTF8.self), errors: try errors)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var errors: String {
        get throws { String(decoding: try Data(contentsOf: errorFile), as: UTF8.self) }
    }
}
