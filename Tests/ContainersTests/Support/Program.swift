import Foundation

/// Runs another program, which reads our files independently or creates input for tests.
enum Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Returns: The standard output of the program.
    /// - Throws: An error if the program cannot be run or exits with a status other than 0.
    @discardableResult
    static func run(_ name: String, _ arguments: [String], mayFail: Bool = false) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let (output, errors) = (
            Pipe(), FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        )
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        defer { unlink(errors.path) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard mayFail || process.terminationStatus == 0 else {
            let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            throw Failure(description: "\(name) \(arguments.joined(separator: " ")): \(text)")
        }
        return data
    }
}
