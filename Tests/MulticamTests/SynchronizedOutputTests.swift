import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamTiming
import Testing

@Suite("synchronized outputs")
struct SynchronizedOutputTests {
    /// The ticks that a handler received, in order.
    private final class Log: Sendable {
        private let ticks = ConditionLock<[SynchronizedTick]>([])
        var all: [SynchronizedTick] { ticks.withLock { $0 } }
        func add(_ tick: SynchronizedTick) { ticks.withLock { $0.append(tick) } }

        func output(_ roles: [String], rate: FrameRate? = nil, format: FrameTap.Format = .asCaptured)
            -> SynchronizedOutput
        {
            SynchronizedOutput(roles: roles, rate: rate, format: format, capacity: 10_000) { self.add($0) }
        }

        func frames(_ role: String) -> [SynchronizedFrame] {
            all.compactMap { if case .frame(let frame)? = $0[role] { frame } else { nil } }
        }

        func audioBlocks(_ role: String) -> [SynchronizedAudio] {
            all.compactMap { if case .audio(let audio)? = $0[role] { audio } else { nil } }
        }

        func dropped(_ role: String) -> [LossCause: Int] {
            all.reduce(into: [:]) { counts, tick in
                if case .dropped(let cause)? = tick[role] { counts[cause, default: 0] += 1 }
            }
        }

        func nothing(_ role: String) -> [Int64] {
            all.compactMap { if case .nothing? = $0[role] { $0.index } else { nil } }
        }
    }

    @Test(
        "every tick is delivered once, in order, with each device's frame, loss, or absence, as in the ledger"
    )
    func cameras() async throws {
        let log = Log()
        let roles = ["a", "b", "c", "d", "e"]
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?drop=0.1", size: 160x90, rate: 30 }
              b: { device: "virtual:clap?corrupt=0.1", size: 160x90, rate: 30 }
              c: { device: "virtual:clap?unplug=2&replug=4", size: 160x90, rate: 30 }
              d: { device: "virtual:clap", size: 160x90, rate: 15 }
              e: { device: "virtual:clap?drift=200&jitter=3", size: 160x90, rate: 30 }
            """, seconds: 6, synchronizedOutputs: [log.output(roles)])
        #expect(log.all.map(\.index) == Array(0..<180))
        #expect(log.all.map(\.time) == (0..<180).map { FrameRate(30, per: 1).time(ofTick: $0) })
        #expect(log.all.allSatisfy { $0.droppedBefore == 0 && $0.entries.map(\.role) == roles })

        for role in ["a", "b", "c", "e"] {
            let frames = try #require(try recording.track(role).frames)
            #expect(log.frames(role).count == frames.captured - frames.decimated, "\(role)")
            let lost = frames.lost.filter { $0.key != LossCause.disconnected.rawValue }
            let dropped = log.dropped(role).map { ($0.key.rawValue, $0.value) }
            #expect(Dictionary(uniqueKeysWithValues: dropped) == lost, "\(role)")
        }
        #expect(log.dropped("a").keys.sorted() == [.bus])
        #expect(log.dropped("b").keys.sorted() == [.corrupt])
        // A disconnected camera doesn't count as dropped.
        #expect(log.nothing("c").count == 180 - log.frames("c").count)
        #expect(log.nothing("c").allSatisfy { (58...122).contains($0) })
        #expect((89...91).contains(log.frames("d").count))
        #expect(log.frames("d").count + log.nothing("d").count == 180)
        for role in roles {
            let sequences = log.frames(role).map(\.sequence)
            #expect(sequences == Set(sequences).sorted(), "each frame at most once, in order")
        }
        for tick in log.all {
            guard case .frame(let frame)? = tick["e"] else { continue }
            #expect(abs(frame.capturedAt.nanoseconds - tick.time.nanoseconds) < 18_500_000)
        }
    }

    @Test("a microphone has every sample of each tick's span, and marks silence with its cause")
    func audio() async throws {
        let log = Log()
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap", size: 160x90, rate: 25 } }
            microphones:
              m: { device: "virtual:tone?unplug=1.5&replug=3.2" }
              n: { device: "virtual:tone?drop=0.05" }
            """, seconds: 5,
            synchronizedOutputs: [log.output(["a", "m", "n"], rate: FrameRate(30_000, per: 1001))])
        #expect(log.all.count == 150)
        for (role, cause) in [("m", LossCause.disconnected), ("n", .bus)] {
            let audioBlocks = log.audioBlocks(role)
            #expect(audioBlocks.count == 150)
            var next: Int64 = 0
            for audio in audioBlocks {
                #expect(audio.firstSample == next)
                next += Int64(audio.frameCount)
                let own = audio.firstSample..<next
                for stretch in audio.missing {
                    #expect(own.contains(stretch.samples.lowerBound) && stretch.samples.upperBound <= next)
                    #expect(
                        stretch.samples.allSatisfy {
                            audio.samples[Int($0 - audio.firstSample) * audio.channels] == 0
                        })
                }
            }
            // The 150 ticks of 1001/30 000 s exceed the end by 5 ms, so the last tick's audio ends with the
            // recording.
            #expect(next == 240_000)
            let missing = audioBlocks.flatMap(\.missing)
            #expect(Set(missing.map(\.cause)) == [cause])
            let silent = missing.reduce(0) { $0 + Int64($1.samples.count) }
            #expect(silent == (try recording.track(role).samples?.silence))
            #expect(silent > 4800)
        }
        // The camera delivers 25 frames per second on a grid of 29.97.
        #expect((124...126).contains(log.frames("a").count))
        #expect(log.dropped("a").isEmpty)
    }

    @Test(
        "frames are converted on request")
    func converted() async throws {
        let log = Log()
        _ = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap", size: 160x90, rate: 30 }
              b: { device: "virtual:clap?format=h264", size: 160x90, rate: 30, format: h264 }
            """, seconds: 2, synchronizedOutputs: [log.output(["a", "b"], format: .converted(.nv12))])
        for role in ["a", "b"] {
            #expect(log.frames(role).count == 60)
            #expect(
                log.frames(role).allSatisfy {
                    $0.frame.pixel == .nv12 && $0.frame.planes.count == 2
                        && $0.frame.size == FrameSize(width: 160, height: 90)
                })
        }
    }

    @Test("a slow handler misses whole ticks and receives their number; the recording loses none")
    func slow() async throws {
        let (log, gate) = (Log(), Cancellation())
        let slow = SynchronizedOutput(roles: ["a", "m"], capacity: 2) { tick in
            // The output is blocked until another output has received half of the recording.
            while !gate.isCancelled { sched_yield() }
            log.add(tick)
        }
        let clock = SynchronizedOutput(roles: ["m"], capacity: 10_000) { tick in
            if tick.time.nanoseconds >= 1_000_000_000 { gate.cancel() }
        }
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap", size: 160x90, rate: 30 } }
            microphones: { m: { device: "virtual:tone" } }
            """, seconds: 3, synchronizedOutputs: [slow, clock])
        #expect(slow.droppedCount > 20)
        #expect(slow.deliveredCount + slow.droppedCount == 90)
        #expect(slow.deliveredCount == log.all.count)
        var expected: Int64 = 0
        for tick in log.all {
            #expect(tick.index == expected + Int64(tick.droppedBefore))
            expected = tick.index + 1
        }
        #expect(log.all.map(\.droppedBefore).contains { $0 > 0 })
        #expect(try recording.track("a").frames?.captured == 90)
        // Without a camera, the grid has 50 ticks per second.
        #expect(clock.deliveredCount == 150)
    }

    @Test("a role that the session does not record is refused by name before anything is created")
    func unknownRole() async throws {
        let output = SynchronizedOutput(roles: ["a", "desk"]) { _ in }
        await #expect(throws: RecordingError.unknownRole("desk", known: ["a"])) {
            _ = try await Recording(
                "cameras: { a: { device: \"virtual:clap\", size: 160x90, rate: 30 } }", seconds: 1,
                synchronizedOutputs: [output])
        }
    }
}
