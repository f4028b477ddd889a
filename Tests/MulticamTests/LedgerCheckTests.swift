import MulticamLedgerCheck
import MulticamSessionFolder
import Testing

@Suite("The check of a manifest's counts")
struct LedgerCheckTests {
    @Test("finds every track whose counts differ from its files", arguments: ["one-each", "one"])
    func differences(files: String) async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:bars?size=160x120", rate: 15 } }
            microphones: { host: { device: "virtual:tone" } }
            program: { size: 160x120, rate: 15, layout: single, main: a, audio: { mix: [host] } }
            tracks: { cameras: copy, microphones: wav, files: \(files) }
            """, seconds: 1)
        let manifest = recording.manifest
        #expect(manifest.tracks.map(\.codec).contains("aac") == (files == "one"))
        for index in manifest.tracks.indices {
            var changed = manifest
            changed.tracks[index].frames?.captured -= 1
            changed.tracks[index].frames?.written -= 1
            changed.tracks[index].samples?.captured -= 2048
            changed.tracks[index].samples?.written -= 2048
            let breaches = try LedgerCheck.breaches(of: changed, in: recording.folder)
            #expect(breaches.count == 1 && breaches[0].contains("the files have"), "\(breaches)")
        }
    }
}
