import Foundation
import MulticamMedia
import MulticamPlan
import MulticamSeededNoise
import MulticamSession
import MulticamSessionFolder
import MulticamSynchrony
import Testing

/// Tests edited manifests and events. They must not cause a crash or hang, and a loss must never be reported
/// as complete.
///
/// `MULTICAM_EDITS` is the number of edits, `MULTICAM_EDITS_SEED` the first seed.
@Suite("Edited manifests and events", .serialized)
struct EditedFilesTests {
    private static let crashedProfile = """
        cameras:
          desk: { device: "virtual:clap?phase=0&drop=0.05", size: 160x90, rate: 30 }
          desk-2: { device: "virtual:clap?phase=0&format=h264", size: 160x90, rate: 30, format: h264 }
        microphones: { host: { device: "virtual:clap?unplug=1.2&replug=1.7" } }
        program: { size: 160x90, rate: 30, layout: single, main: desk, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        """
    private static let begunProfile = """
        cameras:
          desk: { device: "virtual:clap?phase=0", size: 160x90, rate: 30 }
          face: { device: "virtual:bars?phase=0&corrupt=0.05", size: 160x90, rate: 15 }
        microphones: { host: { device: "virtual:clap" } }
        tracks: { cameras: copy, microphones: wav }
        """

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(
        "recover, verify, and sync-check do not crash, and recordings reported as complete are complete",
        .timeLimit(.minutes(240)))
    func edited() async throws {
        let split = try await CrashedRecording(Self.crashedProfile, crashingAt: 3) { session, second in
            if second == 1 { session.split() }
        }
        let begun = try await CrashedRecording(Self.begunProfile, crashingAt: 4) { session, second in
            guard second < 3 else { return }
            do throws(SessionChangeError) {
                if second == 2 {
                    session.split()
                } else {
                    try session.apply([second == 1 ? .startTrack(role: "face") : .stopTrack(role: "face")])
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        let recovered = try CrashedRecording(copying: begun)
        _ = try recovered.recover()
        let bases = [split, begun, recovered]
        let counts = try bases.map { try Self.frameCounts(CrashedRecording(copying: $0)) }
        let first = Self.number("MULTICAM_EDITS_SEED") ?? 1
        let isLong = Self.number("MULTICAM_EDITS") != nil
        for seed in first..<first + (Self.number("MULTICAM_EDITS") ?? 100) {
            if isLong { print("edit \(seed)") }
            let base = Int(seed % UInt64(bases.count))
            let folder = try CrashedRecording(copying: bases[base])
            var edits = EditedJSON(seed: seed)
            if !edits.chance(of: 4) { try folder.rewrite("manifest.json") { try edits.edit($0) } }
            if edits.chance(of: 2) { try folder.rewrite("events.ndjson") { try edits.editLines($0) } }
            try Self.check(folder, counts[base], seed: seed, measures: seed % 10 == 0)
        }
    }

    private static func check(
        _ folder: CrashedRecording, _ before: [String: Int64], seed: UInt64, measures: Bool
    ) throws {
        if measures { measure(folder) }
        var whole: RecoveryReport?
        do throws(RecoveryError) {
            let report = try Recovery(path: folder.folder).run()
            if report.outcome != .incomplete { whole = report }
        } catch {
            #expect(!error.description.isEmpty)
        }
        do {
            let faults = try folder.faults()
            // `recover` must not report a file as complete if `verify` finds it damaged, unless the manifest
            // was edited to say so.
            let isEdited = whole?.outcome == .whole
            #expect(whole == nil || isEdited || faults.isEmpty, "edit \(seed): \(faults)")
        } catch let error as FileError {
            #expect(!error.description.isEmpty)
        }
        if measures { measure(folder) }
        guard let whole else { return }
        let cuts = Dictionary(whole.tracks.map { ($0.file, $0.cut_ns) }, uniquingKeysWith: max)
        let after = try frameCounts(folder)
        for (file, count) in before {
            let rate: Int64 = file.hasSuffix(".wav") ? 48_000 : 30
            // Only the last part of a track is cut.
            let cut = cuts.values.max() ?? 0
            let shown = (after[file] ?? 0) + (Int64(Double(cut) / 1e9 * Double(rate)) + rate / 5)
            #expect(shown >= count, "edit \(seed): \(file) had \(count), has \(after[file] ?? 0): \(cuts)")
        }
    }

    /// Runs a measurement, which may fail with a sentence.
    private static func measure(_ folder: CrashedRecording) {
        do {
            let findings = try SyncCheck(try CheckedSession(folder: folder.folder)).run(version: "0.0.0")
            #expect(!findings.sentence.isEmpty)
            #expect(!SyncPlot(findings).document.isEmpty)
        } catch {
            #expect(!"\(error)".isEmpty)
        }
    }

    /// Returns the number of frames or samples in each media file that has any.
    private static func frameCounts(_ folder: CrashedRecording) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for place in ["cameras", "audio", "."] {
            for name in try folder.names(in: place) {
                let file = place == "." ? name : "\(place)/\(name)"
                guard [".mov", ".mp4", ".wav"].contains(where: { file.hasSuffix($0) }) else { continue }
                do throws(RecoveryError) {
                    let report = try Recovery(path: folder.path(file)).run()
                    counts[file] = report.tracks.first.map { $0.frames.map(Int64.init) ?? $0.samples ?? 0 }
                } catch {
                    continue
                }
            }
        }
        return counts
    }
}
