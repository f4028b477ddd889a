import Foundation
import MulticamMedia
import Testing

@testable import MulticamProfiles

@Suite("Scenes of a profile")
struct SceneTests {
    private static let profile = """
        # My studio.
        cameras:
          desk: { device: any, size: 1280x720 }   # the table
          face: { device: any }
          wide: { device: any }
        microphones: { host: , guest: }

        program: { layout: pip, main: desk, inset: face, corner: top-left, border: 2 }
        # What may be lost.
        limits: none

        """

    private static func read(_ text: String) throws(ProfileError) -> Profile {
        try Profile(yaml: Array(text.utf8), file: "studio.yaml")
    }

    private static let close = SceneSettings(
        name: "close", layout: .pip, main: "face", insets: ["wide"],
        style: InsetStyle(corner: .topRight, scale: 0.3, fit: .contain),
        zooms: ["face": Zoom(factor: 2, pan: -0.5)], mix: ["host"], gains: ["host": -3])

    @Test("a scene inherits omitted fields from the program, and leaves the audio unchanged")
    func reads() throws {
        let scenes = try Self.read(
            Self.profile + """
                scenes:
                  wide shot: { layout: single, main: wide }
                  two: { layout: side-by-side, main: face, inset: [desk] }
                  talk:
                    main: face
                    corner: bottom-left
                    zoom: { face: 1.5 }
                    tilt: { face: 0.2 }
                    mix: [guest]
                    gains: { guest: 3, host: -60 }
                """
        ).scenes
        #expect(scenes.map(\.name) == ["wide shot", "two", "talk"])
        #expect(scenes[0].shown == ["wide"] && scenes[0].style.fit == .contain && scenes[0].mix == nil)
        #expect(scenes[1].shown == ["face", "desk"] && scenes[1].style.fit == .cover)
        #expect(
            scenes[2]
                == SceneSettings(
                    name: "talk", layout: .pip, main: "face", insets: ["desk"],
                    style: InsetStyle(corner: .bottomLeft, border: 2, fit: .contain),
                    zooms: ["face": Zoom(factor: 1.5, tilt: 0.2)], mix: ["guest"],
                    gains: ["guest": 3, "host": -60]))
    }

    @Test(
        "invalid scenes are rejected with their position",
        arguments: [
            ("scenes: [a]", "11:9: scenes: found a list, expected one field per scene"),
            (
                "scenes: { a: { main: nobody } }",
                "11:22: scenes.a.main: found “nobody”, expected the role of a camera"
            ),
            (
                "scenes: { a: { layuot: pip } }",
                "11:16: scenes.a.layuot: found an unknown field, expected layout, main"
            ),
            ("scenes: { ' a': {} }", "11:11: scenes. a: found the scene “ a”, expected 1 to 40 characters"),
            (
                "scenes: { a: { gains: { host: loud } } }",
                "11:31: scenes.a.gains.host: found “loud”, expected a gain in decibels"
            ),
            (
                "scenes: { a: { zoom: { host: 2 } } }",
                "11:24: scenes.a.zoom.host: found the role “host”, expected the role of a camera"
            ),
            (
                "scenes: { a: { mix: [desk] } }",
                "11:22: scenes.a.mix: found “desk”, expected the role of a microphone"
            ),
            (
                "scenes: { a: { main: face, inset: face } }",
                "11:35: scenes.a.inset: found “face”, which is already the main camera"
            ),
        ])
    func refuses(line: String, expected: String) {
        let error = #expect(throws: ProfileError.self) { try Self.read(Self.profile + line) }
        #expect(
            error?.description.hasPrefix("studio.yaml:" + expected) == true, "\(String(describing: error))")
        let alone = #expect(throws: ProfileError.self) {
            try Self.read("cameras: { a: }\nscenes: { b: {} }\n")
        }
        #expect(alone?.description.contains("2:9: scenes: found scenes without a program") == true)
    }

    @Test(
        "saving a scene preserves the rest of the text, including comments, order, and line endings",
        arguments: [
            ("", "scenes:\nNEW\n"),
            // The scene with the same name is replaced; otherwise, the scene is appended.
            (
                "scenes:\n  a: { main: face }   # first\n  close: { main: wide }\n  # last\n  z: {}\n# the end\ntracks: { cameras: copy }\n",
                "scenes:\n  a: { main: face }   # first\nNEW\n  # last\n  z: {}\n# the end\ntracks: { cameras: copy }\n"
            ),
            (
                "scenes:\n  close:\n    main: wide\n    # seldom\n    layout: single\n\n  z: {}\n",
                "scenes:\nNEW\n\n  z: {}\n"
            ),
            ("scenes:\n    a: { main: face }\n\n# end", "scenes:\n    a: { main: face }\n  NEW\n\n# end"),
            ("scenes:\ntracks: { cameras: copy }", "scenes:\nNEW\ntracks: { cameras: copy }"),
        ])
    func writes(before: String, after: String) throws {
        let line =
            "  close: { layout: pip, main: face, inset: [wide], corner: top-right, scale: 0.3, margin: 0.02, border: 0, fit: contain, zoom: { face: 2.0 }, pan: { face: -0.5 }, mix: [host], gains: { host: -3.0 } }"
        for ending in ["\n", "\r\n"] {
            func text(_ end: String) -> [UInt8] {
                Array((Self.profile + end).replacingOccurrences(of: "\n", with: ending).utf8)
            }
            let written = try SceneText(text(before), file: "studio.yaml").saving(Self.close)
            let expected = text(after.replacingOccurrences(of: "NEW", with: line))
            #expect(written == expected, "\(String(decoding: written, as: UTF8.self))")
        }
    }

    @Test(
        "deleting a scene preserves the rest of the text; deleting the last one removes the field",
        arguments: [
            ("scenes:\n  close: { main: wide }\n# the end\n", "# the end\n"),
            (
                "scenes:\n  a: { main: face }   # first\n  close:\n    main: wide\n  # last\n  z: {}\ntracks: { cameras: copy }\n",
                "scenes:\n  a: { main: face }   # first\n  # last\n  z: {}\ntracks: { cameras: copy }\n"
            ),
            ("scenes:\n  a: {}\n  close: {}\n\n# end", "scenes:\n  a: {}\n\n# end"),
            ("scenes: { close: { main: wide } }\n", ""),
        ])
    func deletes(before: String, after: String) throws {
        for ending in ["\n", "\r\n"] {
            func text(_ end: String) -> [UInt8] {
                Array((Self.profile + end).replacingOccurrences(of: "\n", with: ending).utf8)
            }
            let scenes = try SceneText(text(before), file: "studio.yaml")
            #expect(scenes.has("close") && !scenes.has("nobody"))
            let written = try scenes.deleting("close")
            #expect(written == text(after), "\(String(decoding: written, as: UTF8.self))")
        }
    }

    @Test("scenes in braces are rewritten without the deleted one")
    func deletesInBraces() throws {
        let text = Self.profile + "scenes: { a: { main: face },\n  close: {} }\n"
        let written = try SceneText(Array(text.utf8), file: "studio.yaml").deleting("close")
        #expect(try Profile(yaml: written, file: "studio.yaml").scenes.map(\.name) == ["a"])
        #expect(String(decoding: written, as: UTF8.self).contains("# the table"))
        let inBraces = Array("{ cameras: { a: , b: }, program: {}, scenes: { close: {} } }".utf8)
        #expect(throws: ProfileError.self) {
            try SceneText(inBraces, file: "studio.yaml").deleting("close")
        }
    }

    @Test("scenes in braces are rewritten as a block, with names quoted if necessary")
    func braces() throws {
        let text = Self.profile + "scenes: { a: { main: face },\n  b: {} }\n"
        var scene = Self.close
        scene.name = "it's: #2"
        let written = try SceneText(Array(text.utf8), file: "studio.yaml").saving(scene)
        let profile = try Profile(yaml: written, file: "studio.yaml")
        #expect(profile.scenes.map(\.name) == ["a", "b", "it's: #2"])
        #expect(String(decoding: written, as: UTF8.self).contains("  'it''s: #2': { layout: pip"))
        #expect(String(decoding: written, as: UTF8.self).contains("# the table"))
    }

    @Test(
        "a scene is not saved if that is unsafe: a profile in braces, a document end marker, or unknown roles",
        arguments: [
            "{ cameras: { face: , wide: }, microphones: { host: }, program: {} }", profile + "...\n",
            "cameras: { a: }\nprogram: {}\n",
        ])
    func unsafe(text: String) {
        #expect(throws: ProfileError.self) {
            try SceneText(Array(text.utf8), file: "studio.yaml").saving(Self.close)
        }
    }

    @Test("scenes are saved in the user's file; for a built-in profile, in a copy that takes precedence")
    func files() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "scenes-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let own = scratch.path + "/config/multicam/profiles"
        let shipped = ShippedProfile(name: "studio", bytes: Array(Self.profile.utf8))
        let library = ProfileLibrary(folders: [own], ownFolder: own, shipped: [shipped])
        let first = try library.save(Self.close, in: "studio")
        #expect(first.path == own + "/studio.yaml" && first.isCopy)
        #expect(try library.load("studio").scenes == [Self.close])
        var other = Self.close
        other.name = "other"
        let second = try library.save(other, in: "studio")
        #expect(second.path == first.path && !second.isCopy)
        #expect(try library.load("studio").scenes.map(\.name) == ["close", "other"])
        // A path refers to the user's own file, and symbolic links are followed.
        let file = scratch.appending(path: "here.yaml")
        try Data(Self.profile.utf8).write(to: file)
        let link = scratch.path + "/link.yaml"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        #expect(try library.save(Self.close, in: link) == (link, false))
        #expect(try ProfileLibrary.read(file.path).scenes == [Self.close])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file.path)
        // An invalid file is left unchanged.
        try Data("cameras: [".utf8).write(to: file)
        #expect(throws: ProfileError.self) { try library.save(Self.close, in: file.path) }
        #expect(try Data(contentsOf: file) == Data("cameras: [".utf8))
    }
}
