import Foundation
import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Restore tokens for screen sharing")
struct PortalTokenStoreTests {
    private static let words = (0..<4).map { "2d8864e7-fa8b-4a48-9f85-c3244003730\($0)" }

    private static func screen(_ text: String) throws -> ScreenAddress {
        try #require(try SourceAddress(text).screen)
    }

    private static func withFolder(_ body: ([String: String], URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("left behind: \(folder.path): \(error)")
            }
        }
        try body(["XDG_STATE_HOME": folder.path], folder.appending(path: "multicam/screens.json"))
    }

    @Test("a token is stored by name, readable only by this user, and replaces the previous one")
    func kept() throws {
        try Self.withFolder { environment, file in
            let (one, other) = (try Self.screen("screen:"), try Self.screen("screen:portal/slides"))
            let memory = PortalTokenStore(environment)
            #expect(memory.token(of: one) == nil)
            memory.save(Self.words[0], of: one)
            memory.save(Self.words[1], of: one)
            // Another process stores a token at the same time.
            PortalTokenStore(environment).save(Self.words[2], of: other)
            memory.save(Self.words[3], of: one)
            let next = PortalTokenStore(environment)
            #expect(next.token(of: one) == Self.words[3])
            #expect(next.token(of: try Self.screen("screen:portal?region=64x64+0+0")) == Self.words[3])
            #expect(next.token(of: other) == Self.words[2])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            next.save(nil, of: one)
            #expect(PortalTokenStore(environment).token(of: one) == nil)
        }
    }

    @Test(
        "an invalid file is treated as missing",
        arguments: [
            "", "{", "[]", "{\"schema\":2,\"tokens\":{\"portal\":\"x\"}}", "{\"schema\":1,\"tokens\":7}",
        ])
    func broken(text: String) throws {
        try Self.withFolder { environment, file in
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            #expect(PortalTokenStore(environment).token(of: try Self.screen("screen:")) == nil)
        }
    }

    @Test("if the file can't be written, a token is valid for this run; an invalid token is ignored")
    func nowhere() throws {
        let memory = PortalTokenStore(["XDG_STATE_HOME": "/proc/nowhere"])
        let screen = try Self.screen("screen:")
        memory.save(Self.words[0], of: screen)
        #expect(memory.token(of: screen) == Self.words[0])
        memory.save(String(repeating: "x", count: 5000), of: screen)
        #expect(memory.token(of: screen) == nil)
        #expect(PortalTokenStore([:]).token(of: screen) == nil)
    }
}
