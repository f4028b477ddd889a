import Foundation
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@testable import MulticamSetup

@Suite("Stream keys stored outside a profile")
struct LiveOutputKeysTests {
    private static func profile(_ text: String) throws -> Profile {
        try Profile(
            yaml: Array(
                "cameras: { a: }\nprogram: { layout: single }\npublish: { tube: { \(text) } }\n".utf8),
            file: "tube.yaml")
    }

    private static func scratch(_ text: String, mode: Int = 0o600) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test("keys are read from a one-line file and from variables; a file that others can read gets a note")
    func read() throws {
        let path = try Self.scratch("rtmp://host/live/KEY\n")
        let keys = try LiveOutputKeys(
            of: Self.profile("url_from: { file: \(path) }"), environment: [:])
        #expect(keys.notes.isEmpty)
        let open = try Self.scratch("rtmp://host/live/KEY", mode: 0o644)
        let noted = try LiveOutputKeys(of: Self.profile("url_from: { file: \(open) }"), environment: [:])
        #expect(noted.notes.count == 1 && noted.notes[0].contains("chmod 600 \(open)"))
        let home = try LiveOutputKeys(
            of: Self.profile("url_from: { file: ~/\(URL(fileURLWithPath: path).lastPathComponent) }"),
            environment: ["HOME": FileManager.default.temporaryDirectory.path])
        #expect(home.profile.liveOutputs.first?.address == keys.profile.liveOutputs.first?.address)
        let whip = try LiveOutputKeys(
            of: Self.profile("url: \"whip+http://host/p\", token_from: { env: T }"),
            environment: ["T": "KEY\n"])
        let planned = PlannedLiveOutput(name: "tube", kind: .whip, address: "whip+http://host:80")
        var plan = SessionPlan(profile: "tube")
        plan.liveOutputs = [planned]
        #expect(whip.liveOutputs(of: plan).first?.token?.value == "KEY")
        for file in [path, open] { try FileManager.default.removeItem(atPath: file) }
    }

    @Test(
        "a missing or invalid key is reported in one sentence that omits the key",
        arguments: [
            (
                "url_from: { file: /none/tube }",
                "publish.tube.url_from: found /none/tube, which cannot be read: no such file or directory"
            ),
            ("url_from: { file: /tmp }", "found /tmp, which is not a file"),
            (
                "url_from: { env: NONE }",
                "found no environment variable NONE, expected the variable to contain the key: `export NONE=…`"
            ),
            ("url_from: { env: EMPTY }", "the environment variable EMPTY"),
            ("url_from: { env: LINES }", "the environment variable LINES"),
            ("url_from: { env: WRONG }", "an invalid address"),
            (
                "url: \"whip+http://host/p\", token_from: { env: NONE }",
                "publish.tube.token_from: found no environment variable NONE"
            ),
        ])
    func wrong(text: String, words: String) throws {
        let profile = try Self.profile(text)
        let error = #expect(throws: ProfileError.self) {
            _ = try LiveOutputKeys(
                of: profile, environment: ["EMPTY": " \n", "LINES": "KEY\nKEY", "WRONG": "KEY://KEY"])
        }
        let sentence = error?.description ?? ""
        #expect(sentence.hasPrefix("tube.yaml:3:") && sentence.contains(words), "\(sentence)")
        #expect(
            !sentence.replacing("KEY, ", with: "").replacing("/KEY", with: "").contains("KEY"), "\(sentence)")
    }
}
