import Foundation
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

@Suite("Changes while recording")
struct LiveChangeTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=0", size: 640x360, rate: 30 }
          face: { device: "virtual:bars?phase=0", size: 640x360, rate: 30 }
        microphones: { host: { device: "virtual:tone" } }
        program: { size: 640x360, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        """
    private static let size = FrameSize(width: 640, height: 360)

    @Test("changes are visible from the tick in the manifest, and cause no gap in any track")
    func swaps() async throws {
        let host = ControllerHost { session, look in
            let changes: [[SessionChange]] = [
                [], [.swap(with: nil)], [.swap(with: "desk"), .gain(role: "host", decibels: -20)],
            ]
            guard changes.indices.contains(look), !changes[look].isEmpty else { return }
            do throws(SessionChangeError) {
                try session.apply(changes[look])
            } catch {
                Issue.record("\(error)")
            }
        }
        let recording = try await Recording(Self.profile, seconds: 5, host: host, steer: host.attach)
        let manifest = recording.manifest
        let changes = try #require(manifest.changes)
        #expect(changes.map(\.shown) == [["face", "desk"], ["desk", "face"]])
        #expect(changes.map(\.changes) == [["swap"], ["swap desk", "gain host -20.0"]])
        #expect(recording.events.filter { $0.contains(#""event":"change""#) }.count == 2)
        try recording.checkSchema()
        for track in manifest.tracks where track.kind != "microphone" {
            let frames = try #require(track.frames)
            #expect(frames.written == 150 && frames.lost.isEmpty && frames.duplicated == 0, "\(track.name)")
        }
        #expect(manifest.gaps.isEmpty)
        try expectStrips(recording, from: changes[0].at_ns, to: changes[1].at_ns)
        try expectLoudness(recording, from: changes[1].at_ns)
    }

    /// Checks that the code strip of the clap camera fills the width except between the two changes, exact to
    /// the frame.
    private func expectStrips(_ recording: Recording, from: Int64, to: Int64) throws {
        let strips = try Reader.strips(recording.path("program.mp4"), size: Self.size)
        #expect(strips.count == 150)
        for (index, strip) in strips.enumerated() {
            let time = Int64(index) * 1_000_000_000 / 30
            let isMain = time < from - 1_000_000 || time >= to - 1_000_000
            #expect((strip != nil) == isMain, "frame \(index)")
        }
        let frames = strips.compactMap { $0.map { Int($0.frame) } }
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 > $0 })
    }

    /// Checks that from the second change on, the program's level is a tenth, and the track's level is
    /// unchanged.
    private func expectLoudness(_ recording: Recording, from: Int64) throws {
        let change = Int(Double(from) / 1e9 * 48_000)
        func level(_ samples: [Float]) -> (before: Float, after: Float) {
            func root(_ part: ArraySlice<Float>) -> Float {
                (part.reduce(0) { $0 + $1 * $1 } / Float(max(part.count, 1))).squareRoot()
            }
            return (
                root(samples[24_000..<(change - 4800)]),
                root(samples[(change + 9600)..<(samples.count - 9600)])
            )
        }
        let program = level(try Reader.audio(recording.path("program.mp4")))
        #expect(abs(program.after / program.before - 0.1) < 0.01)
        let track = level(try Reader.audio(recording.path("audio/host.wav")))
        #expect(abs(track.after / track.before - 1) < 0.001)
    }

    /// Makes one change per reading, starting with the second reading.
    private static func controlling(_ changes: [[SessionChange]]) -> @Sendable (MulticamSession, Int) -> Void
    {
        { session, look in
            guard changes.indices.contains(look - 1) else { return }
            do throws(SessionChangeError) {
                try session.apply(changes[look - 1])
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    private static let seenChanges: [[SessionChange]] = [
        [.layout(.sideBySide)], [.gain(role: "host", decibels: -20), .rotation(role: "face", .quarter)],
        [.zoom(role: "desk", 2), .pan(role: "desk", 1)], [.audible(role: "host", false), .swap(with: nil)],
        [.visible(role: "desk", false)], [.stopTrack(role: "face")],
    ]

    @Test("each visible change adds an arrangement for composing the program again")
    func arrangements() async throws {
        let host = ControllerHost(Self.controlling(Self.seenChanges))
        let recording = try await Recording(Self.profile, seconds: 8, host: host, steer: host.attach)
        try recording.checkSchema()
        let manifest = recording.manifest
        let arrangements = try #require(manifest.arrangements)
        let changes = try #require(manifest.changes)
        #expect(changes.count == 6)
        // The end of a track isn't visible in the program.
        #expect(arrangements.map(\.at_ns) == [0] + changes.prefix(5).map(\.at_ns))
        #expect(
            arrangements.map(\.layout) == [
                .pip, .sideBySide, .sideBySide, .sideBySide, .sideBySide, .sideBySide,
            ])
        #expect(
            arrangements.map { $0.layers.map(\.role) } == [
                ["desk", "face"], ["desk", "face"], ["desk", "face"], ["desk", "face"], ["face", "desk"],
                ["face"],
            ])
        let gains: [Double?] = arrangements.map { $0.gains["host"] ?? nil }
        #expect(gains == [0, 0, -20, -20, nil, nil])
        let inset = arrangements[0].layers[1]
        let place: [Int] = [inset.x, inset.y, inset.width, inset.height]
        #expect(place == [468, 258, 160, 90])
        #expect(inset.fit == .cover && inset.crop == .whole)
        #expect(arrangements[1].layers.map(\.x) == [0, 320])
        #expect(arrangements[2].layers.map(\.rotation) == [.none, .quarter])
        #expect(arrangements[3].layers[0].crop == FramePart(x: 0.5, y: 0.25, width: 0.5, height: 0.5))
        let told = recording.events.filter { $0.contains(#""event":"change""#) }
        #expect(told.count == 6 && told.filter { $0.contains(#""arrangement":"#) }.count == 5)
    }

    @Test("recovery keeps changes and their arrangements, including those missing in the manifest")
    func recovered() async throws {
        let controller = Self.controlling(Self.seenChanges)
        let crashed = try await CrashedRecording(Self.profile, crashingAt: 4, steer: controller)
        let before = try #require(try crashed.manifest.arrangements)
        #expect(before.count >= 2 && before[0].at_ns == 0)
        // Simulates a crash in the first second.
        try crashed.edit { manifest in
            manifest.arrangements = Array(before.prefix(1))
            manifest.changes = nil
        }
        #expect(try crashed.recover().outcome == .recovered)
        let manifest = try crashed.manifest
        let arrangements = try #require(manifest.arrangements)
        #expect(arrangements.count >= 3 && arrangements[0] == before[0])
        #expect(manifest.changes?.map(\.at_ns) == arrangements.dropFirst().map(\.at_ns))
        #expect(
            arrangements[1].layout == .sideBySide
                && arrangements[2].gains.compactMapValues { $0 } == ["host": -20])
    }

    @Test("after a hundred random changes, every track has its full length, and the manifest lists them all")
    func many() async throws {
        let done = ConditionLock(0)
        let host = ControllerHost { session, look in
            // These are more changes at once than a user could make.
            for step in 0..<10 where done.withLock({ $0 }) < 100 {
                let changes: [SessionChange] = [
                    .swap(with: nil), .layout(.grid), .corner(.topLeft), .visible(role: "face", false),
                    .visible(role: "face", true), .layout(.pip), .rotation(role: "desk", .quarter),
                    .rotation(role: "desk", .none), .audible(role: "host", false),
                    .audible(role: "host", true),
                ]
                do throws(SessionChangeError) {
                    try session.apply([changes[(look * 7 + step) % changes.count]])
                } catch {
                    // The main camera can't be swapped while the other one is hidden.
                    continue
                }
                done.withLock { $0 += 1 }
            }
        }
        let recording = try await Recording(Self.profile, seconds: 14, host: host, steer: host.attach)
        #expect(recording.manifest.changes?.count == done.withLock { $0 })
        #expect(done.withLock { $0 } >= 90)
        #expect(recording.manifest.gaps.isEmpty)
        for track in recording.manifest.tracks {
            if let frames = track.frames {
                #expect(frames.written == 420 && frames.lost.isEmpty, "\(track.name)")
            }
            if let samples = track.samples { #expect(samples.written == 672_000 && samples.silence == 0) }
        }
        let streams = try Reader.streams(recording.path("program.mp4"))
        #expect(streams.first { $0.codec_type == "video" }?.frameCount == 420)
    }

    @Test("a change is reported with the manifest's time, or as lost if the recording ends before it")
    func decided() async throws {
        let outcomes = ConditionLock<[String: ChangeOutcome]>([:])
        @Sendable func note(_ name: String) -> ChangeCompletion {
            { outcome in outcomes.withLock { $0[name] = outcome } }
        }
        let host = ControllerHost { session, look in
            do throws(SessionChangeError) {
                switch look {
                case 1:
                    try session.apply([.swap(with: nil)], decided: note("swap"))
                    session.mark("early", decided: note("mark"))
                    session.split(decided: note("split"))
                case 3:
                    // All changes are requested at the end of the recording. The first tick at or after the
                    // end isn't recorded.
                    try session.apply([.layout(.grid)], decided: note("late change"))
                    try session.apply([.enabled(role: "host", false)], decided: note("late order"))
                    session.stop()
                    session.mark("late", decided: note("late marker"))
                    session.split(decided: note("late split"))
                default: break
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        let recording = try await Recording(Self.profile, seconds: 20, host: host, steer: host.attach)
        let told = outcomes.withLock { $0 }
        let manifest = recording.manifest
        #expect(manifest.changes?.map(\.changes) == [["swap"]])
        #expect(manifest.markers.map(\.text) == ["early"])
        let swap = try #require(manifest.changes?.first)
        let marker = try #require(manifest.markers.first)
        #expect(told["swap"] == .recorded(from: MediaTime(nanoseconds: swap.at_ns)))
        #expect(told["mark"] == .recorded(from: MediaTime(nanoseconds: marker.at_ns)))
        guard case .recorded = told["split"] else { return #expect(Bool(false), "\(told)") }
        #expect(try recording.track("program").parts?.count == 1)
        for name in ["late change", "late order", "late marker", "late split"] {
            #expect(told[name] == .recordingEnded, "\(name)")
        }
    }

    @Test("changes after the end of the recording are refused instead of accepted and lost")
    func late() async throws {
        let ended = ConditionLock<MulticamSession?>(nil)
        let recording = try await Recording(
            Self.profile, seconds: 1, steer: { session in ended.withLock { $0 = session } })
        let session = try #require(ended.withLock { $0 })
        let error = #expect(throws: SessionChangeError.self) { try session.apply([.swap(with: nil)]) }
        #expect(error?.description == "`swap` was not applied, because the recording has already ended.")
        let outcomes = ConditionLock<[ChangeOutcome]>([])
        session.mark("late") { outcome in outcomes.withLock { $0.append(outcome) } }
        session.split { outcome in outcomes.withLock { $0.append(outcome) } }
        #expect(outcomes.withLock { $0 } == [.recordingEnded, .recordingEnded])
        #expect(session.currentPlan.program?.arrangement.shown == ["desk", "face"])
        #expect(recording.manifest.changes == nil && recording.manifest.markers.isEmpty)
    }

    @Test("invalid changes are rejected, and the recording continues")
    func refused() async throws {
        let refusals = ConditionLock<[String]>([])
        let host = ControllerHost { session, look in
            guard look == 1 else { return }
            do throws(SessionChangeError) {
                // The first of the two changes is valid by itself.
                try session.apply([.swap(with: nil), .scale(7)])
            } catch {
                refusals.withLock { $0.append(error.description) }
            }
        }
        let recording = try await Recording(Self.profile, seconds: 3, host: host, steer: host.attach)
        #expect(refusals.withLock { $0.count } == 1)
        #expect(recording.manifest.changes == nil)
    }
}
