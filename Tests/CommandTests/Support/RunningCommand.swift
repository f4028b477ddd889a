import Foundation
import Glibc
import MulticamLedgerCheck
import MulticamMedia
import MulticamSessionFolder
import Testing

/// A running command. Tests can wait for lines of its standard output and send it signals.
///
/// A watchdog kills the command after ten minutes, so that a test fails instead of hanging. This is long enough even on
/// a busy machine.
final class RunningCommand {
    private let process = Process()
    private let output = Pipe()
    private let errorFile: URL
    private var pending: [UInt8] = []
    private var allOutput: [UInt8] = []
    private let watchdog: any DispatchSourceTimer
    private let isRecording: Bool
    private var isChecked = false

    init(
        _ command: [String], environment: [String: String] = Multicam.environment, in folder: Scratch? = nil,
        terminal: Terminal? = nil
    ) throws {
        errorFile = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        isRecording = command.contains("record")
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

    /// Process ID of the command.
    var identifier: Int32 { process.processIdentifier }

    deinit {
        watchdog.cancel()
        unlink(errorFile.path)
    }

    /// Returns the next line of standard output, or `nil` at the end.
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

    /// Reads the events of a recording until one with the given fields arrives.
    func event<Fields: SessionEvent.Payload>(_ type: Fields.Type) throws -> (fields: Fields, at: MediaTime) {
        while let line = nextLine() {
            let event = try JSONText.decoder().decode(SessionEvent.self, from: Data(line.utf8))
            if let fields = event.content.payload as? Fields { return (fields, event.at) }
        }
        throw Failure(description: "the command ended without the event `\(Fields.self)`: \(try errors)")
    }

    /// Reads the events of any command until one with the given name arrives.
    func event(_ name: String) throws -> [String: Any] {
        while let line = nextLine() {
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            if event["event"] as? String == name { return event }
        }
        throw Failure(description: "the command ended without the event `\(name)`: \(try errors)")
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Closes the read end of the command's standard output.
    func closeOutput() throws { try output.fileHandleForReading.close() }

    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        if isRecording, !isChecked { checkLedgers() }
        isChecked = true
        return process.terminationReason == .uncaughtSignal
            ? -process.terminationStatus : process.terminationStatus
    }

    /// Reads the remaining output and waits for the exit.
    func finish() throws -> Multicam.Outcome {
        while nextLine() != nil {}
        let status = waitForEnd()
        return Multicam.Outcome(
            status: status, output: String(decoding: allOutput, as: UTF8.self), errors: try errors)
    }

    /// Compares the manifests of the recordings that the output names, and of their backups, with their files. A recording
    /// that was killed has no counts yet.
    private func checkLedgers() {
        for line in allOutput.split(separator: UInt8(ascii: "\n")) {
            var folder = String(decoding: line, as: UTF8.self)
            do {
                if line.first == UInt8(ascii: "{") {
                    let event = try JSONText.decoder().decode(SessionEvent.self, from: Data(line))
                    guard case .finished(let finished) = event.content, let named = finished.folder
                    else { continue }
                    folder = named
                }
                guard FileManager.default.fileExists(atPath: folder + "/manifest.json") else { continue }
                let manifest = try LedgerCheck.manifest(of: folder)
                guard manifest.outcome != .recording else { continue }
                var breaches = try LedgerCheck.breaches(of: manifest, in: folder)
                if let other = manifest.other_folder?.folder,
                    FileManager.default.fileExists(atPath: other + "/manifest.json")
                {
                    breaches += try LedgerCheck.breaches(of: LedgerCheck.manifest(of: other), in: other)
                }
                #expect(breaches.isEmpty, "\(breaches.joined(separator: "\n"))")
            } catch {
                Issue.record(error)
            }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var errors: String {
        get throws { String(decoding: try Data(contentsOf: errorFile), as: UTF8.self) }
    }
}
