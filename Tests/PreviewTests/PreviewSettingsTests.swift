import Studio
import Testing

@Suite("What the window's program is told")
struct PreviewSettingsTests {
    @Test("settings are an argument and come back whole, whatever a role's name has")
    func whole() {
        let settings = PreviewSettings(role: "desk \"1\"\n", isFullScreen: true, display: 2, process: 4312)
        #expect(PreviewSettings.read(settings.text) == settings)
        let plain = PreviewSettings(role: nil, isFullScreen: false, display: nil, process: nil)
        #expect(PreviewSettings.read(plain.text) == plain)
    }

    @Test("what is no settings is refused", arguments: ["", "--camera", "{}", "[]", "null"])
    func rubbish(text: String) {
        #expect(PreviewSettings.read(text) == nil)
    }
}
