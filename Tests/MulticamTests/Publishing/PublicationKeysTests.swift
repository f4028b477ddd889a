import Foundation
import Media
import Plan
import Profiles
import Testing

@testable import Setup

@Suite("Keys that are kept apart from a profile")
struct PublicationKeysTests {
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

    @Test("are read from a file's one line and from variables; who else may read the file is told")
    func read() throws {
        let path = try Self.scratch("rtmp://host/live/KEY\n")
        let keys = try PublicationKeys(
            of: Self.profile("url_from: { file: \(path) }"), environment: [:])
        #expect(keys.notes.isEmpty)
        let open = try Self.scratch("rtmp://host/live/KEY", mode: 0o644)
        let noted = try PublicationKeys(of: Self.profile("url_from: { file: \(open) }"), environment: [:])
        #expect(noted.notes.count == 1 && noted.notes[0].contains("chmod 600 \(open)"))
        let home = try PublicationKeys(
            of: Self.profile("url_from: { file: ~\(path) }".replacing("~/tmp/", with: "~/")),
            environment: ["HOME": FileManager.default.temporaryDirectory.path])
        #expect(home.profile.publications.first?.address == keys.profile.publications.first?.address)
        let whip = try PublicationKeys(
            of: Self.profile("url: \"whip+http://host/p\", token_from: { env: T }"),
            environment: ["T": "KEY\n"])
        let planned = PlannedPublication(name: "tube", kind: .whip, destination: "whip+http://host:80")
        var plan = SessionPlan(profile: "tube")
        plan.publications = [planned]
        #expect(whip.publications(of: plan).first?.token?.value == "KEY")
        for file in [path, open] { try FileManager.default.removeItem(atPath: file) }
    }

    @Test(
        "that are missing or wrong are told by one sentence, which has no key",
        arguments: [
            (
                "url_from: { file: /none/tube }",
                "publish.tube.url_from: found /none/tube, which cannot be read: no such file or directory"
            ),
            ("url_from: { file: /tmp }", "found /tmp, which is no file"),
            (
                "url_from: { env: NONE }",
                "found no variable NONE in the environment, expected one that holds the key: `export NONE=…`"
            ),
            ("url_from: { env: EMPTY }", "the variable EMPTY, which is empty"),
            ("url_from: { env: LINES }", "the variable LINES, which holds no line of text"),
            ("url_from: { env: WRONG }", "an address that cannot be used"),
            (
                "url: \"whip+http://host/p\", token_from: { env: NONE }",
                "publish.tube.token_from: found no variable NONE"
            ),
        ])
    func wrong(text: String, words: String) throws {
        let profile = try Self.profile(text)
        let error = #expect(throws: ProfileError.self) {
            _ = try PublicationKeys(
                of: profile, environment: ["EMPTY": " \n", "LINES": "KEY\nKEY", "WRONG": "KEY://KEY"])
        }
        let sentence = error?.description ?? ""
        #expect(sentence.hasPrefix("tube.yaml:3:") && sentence.contains(words), "\(sentence)")
        #expect(
            !sentence.replacing("KEY, ", with: "").replacing("/KEY", with: "").contains("KEY"), "\(sentence)")
    }
}
