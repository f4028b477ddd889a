import MulticamProfiles
import Testing

@Suite("Editing fields of a profile")
struct EditingFieldsTests {
    private static let devices = "cameras: { face: , wide: }\nmicrophones: { host: { camera: face } }\n"

    private func read(_ text: String) throws(ProfileError) -> Profile {
        try Profile(yaml: Array((Self.devices + text).utf8), file: "test.yaml")
    }

    @Test("title, people by role, formats, and the camera of a speaker are read")
    func fields() throws {
        let profile = try read(
            "title: \"Q & A\"\npeople: { host: Ada, wide: \"the room\" }\nedit: [otio, fcpxml, otio]\n")
        #expect(
            profile.editing
                == EditingSettings(
                    title: "Q & A", people: ["host": "Ada", "wide": "the room"], formats: [.otio, .fcpxml]))
        #expect(profile.microphones.map(\.camera) == ["face"])
        #expect(try read("edit: mlt").editing.formats == [.mlt])
        #expect(try read("").editing == EditingSettings())
    }

    @Test(
        "an invalid field is refused",
        arguments: [
            ("edit: [fcpx]", "edit: found “fcpx”, expected fcpxml, otio, mlt or edl (probably fcpxml)."),
            ("people: { guest: Ada }", "people.guest: found the role “guest”, expected face, wide or host"),
            ("people: { host: [] }", "people.host: found"), ("title: \"\"", "title: found"),
        ])
    func refused(text: String, words: String) {
        let error = #expect(throws: ProfileError.self) { _ = try read(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("a microphone's camera must be a camera of the profile")
    func cameraOfMicrophone() {
        let error = #expect(throws: ProfileError.self) {
            try Profile(
                yaml: Array("cameras: { face: }\nmicrophones: { host: { camera: fase } }".utf8),
                file: "x.yaml")
        }
        #expect(
            error?.description.contains("expected the role of the camera that shows the speaker: face")
                == true,
            "\(error?.description ?? "")")
    }
}
