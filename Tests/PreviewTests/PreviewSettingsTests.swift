import MulticamStudio
import Testing

@Suite("Settings of the preview process")
struct PreviewSettingsTests {
    @Test("settings are passed as an argument and read back unchanged, with any role name")
    func whole() {
        let settings = PreviewSettings(role: "desk \"1\"\n", isFullScreen: true, display: 2, process: 4312)
        #expect(PreviewSettings.read(settings.text) == settings)
        let plain = PreviewSettings(role: nil, isFullScreen: false, display: nil, process: nil)
        #expect(PreviewSettings.read(plain.text) == plain)
    }

    @Test("invalid settings are refused", arguments: ["", "--camera", "{}", "[]", "null"])
    func rubbish(text: String) {
        #expect(PreviewSettings.read(text) == nil)
    }
}
