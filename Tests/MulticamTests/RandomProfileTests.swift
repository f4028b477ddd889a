import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamTiming
import Testing

/// Tests randomly generated profiles. Each of them is recorded briefly in simulated time.
///
/// `MULTICAM_RANDOM_PROFILES` is the number of profiles, `MULTICAM_RANDOM_SEED` the first seed.
@Suite("Random profiles", .serialized)
struct RandomProfileTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(
        "each profile is refused in a sentence, or recorded completely with every frame accounted for",
        .timeLimit(.minutes(240)))
    func recorded() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "multicam-random-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: scratch)
            } catch {
                print("left behind: \(scratch.path): \(error)")
            }
        }
        let first = Self.number("MULTICAM_RANDOM_SEED") ?? 1
        let isLong = Self.number("MULTICAM_RANDOM_PROFILES") != nil
        var recordedCount: UInt64 = 0
        let count = Self.number("MULTICAM_RANDOM_PROFILES") ?? 60
        for seed in first..<first + count {
            if isLong { print("profile \(seed)") }
            let folder = scratch.appending(path: "\(seed)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let profile = RandomProfile(seed: seed).text
            if let recorded = try await Self.record(profile, in: folder, seed: seed, isLong: isLong) {
                recordedCount += 1
                try Self.check(recorded, "profile \(seed):\n\(profile)")
            }
            try FileManager.default.removeItem(at: folder)
        }
        // If too few profiles can be recorded, the generator is wrong.
        #expect(recordedCount * 4 >= count || count < 20, "\(recordedCount) of \(count) were recorded")
    }

    /// - Returns: The recording, or `nil` if it was refused.
    private static func record(
        _ profile: String, in folder: URL, seed: UInt64, isLong: Bool
    ) async throws -> RecordingResult? {
        let file = folder.appending(path: "random.yaml")
        try profile.write(to: file, atomically: true, encoding: .utf8)
        do {
            let setup = try SessionSetup(SessionConfiguration(profile: file.path))
            let options = RecordingOptions(
                parentFolder: folder.path, name: "session", duration: .milliseconds(600), version: "0.0.0")
            return try await MulticamSession(setup, options, clock: SimulatedClock()).record()
        } catch {
            // This detects a type's default description instead of a written sentence.
            let sentence = "\(error)"
            let isSentence =
                sentence.contains(" ") && !sentence.hasPrefix("Error Domain")
                && !sentence.contains("Optional(")
            #expect(isSentence, "profile \(seed):\n\(profile)\n\(sentence)")
            if isLong { print("refused: \(sentence)") }
            return nil
        }
    }

    private static func check(_ result: RecordingResult, _ about: String) throws {
        let verification = try FolderVerification(folder: result.folder)
        for file in verification.files {
            let verdict = verification.verdict(file)
            #expect(verdict == .intact, "\(file.file): \(verdict)\n\(about)")
        }
        let manifest = result.manifest
        let duration = MediaTime(nanoseconds: manifest.duration_ns)
        #expect(manifest.outcome == .finished, "\(about)")
        for track in manifest.tracks {
            if let samples = track.samples {
                #expect(samples.written == samples.captured + samples.silence, "\(samples)\n\(about)")
                #expect(samples.written == duration.ticks(perSecond: 48_000), "\(samples)\n\(about)")
            }
            guard let frames = track.frames else { continue }
            let counts = [frames.written, frames.captured, frames.decimated, frames.duplicated, frames.slate]
            #expect((counts + frames.lost.values).allSatisfy { $0 >= 0 }, "\(frames)\n\(about)")
            if track.variable_rate != true {
                #expect(
                    frames.written == frames.captured - frames.decimated + frames.duplicated + frames.slate,
                    "\(frames)\n\(about)")
            }
        }
        try result.checkLedgers()
        for gap in manifest.gaps {
            #expect(gap.from >= .zero && gap.from <= gap.to, "\(gap)\n\(about)")
            // The last sample may extend past the end.
            #expect(gap.to.nanoseconds < duration.nanoseconds + 20_834, "\(gap)\n\(about)")
        }
    }
}
