import MulticamMedia
import Testing

@testable import MulticamSetup

@Suite("a voice signal aligned with its microphone")
struct AlignedVoiceTests {
    /// Delivers the test's events on the test's thread.
    private final class Source: DetailedMicrophoneSource {
        private let receiver = ConditionLock<(@Sendable (MicrophoneEvent) -> Void)?>(nil)
        let hasStopped = ConditionLock(false)

        let device = CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "made"), name: "made",
            node: "made", selector: "made")
        let format = AudioFormat(rate: 16_000, channels: 1)
        let deliveryDelay = Nanoseconds.milliseconds(60)
        let stampCorrelation = Nanoseconds.milliseconds(1500)

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
        ) throws(DeviceError) { receiver.withLock { $0 = receive } }

        func stop() { hasStopped.withLock { $0 = true } }

        func deliver(_ event: MicrophoneEvent) { receiver.withLock { $0 }?(event) }
    }

    private let voice = Source()
    private let reference = Source()
    private let start = ClockTime(nanoseconds: 1_000_000_000)

    /// Starts both sources and delivers noise or silence. The voice is 20 ms later than its timestamps
    /// indicate.
    ///
    /// - Parameters:
    ///   - seconds: Duration of the run.
    ///   - isHeard: Whether there is noise, for each second.
    ///   - heldBack: Number of additional samples that the server holds back, for each second.
    /// - Returns: The delivered audio.
    /// - Throws: An error if memory is exhausted.
    private func run(
        seconds: Int, noise isHeard: (Int) -> Bool, heldBack: (Int) -> Int = { _ in 0 }
    ) throws -> Run {
        let aligned = try AlignedVoice(voice, of: reference)
        let told = ConditionLock<[CapturedAudio]>([])
        let returns = ConditionLock(0)
        try aligned.start(on: MonotonicClock()) { event in
            if case .audio(let audio) = event { told.withLock { $0.append(audio) } }
            if case .outageEnded = event { returns.withLock { $0 += 1 } }
        }
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<seconds * 16_000).map { index in
            isHeard(index / 16_000) ? Float.random(in: -0.1...0.1, using: &generator) : 0
        }
        for begin in stride(from: 0, to: noise.count, by: 160) {
            let time = start + .milliseconds(Int64(begin / 16))
            reference.deliver(.audio(audio(noise[begin..<begin + 160], begin, time)))
            aligned.waitUntilCompared()
            let origin = begin - 320 - heldBack(begin / 16_000)
            let late = (origin..<origin + 160).map { $0 < 0 ? 0 : noise[$0] }
            voice.deliver(.audio(audio(late[...], begin, time)))
        }
        aligned.stop()
        #expect(voice.hasStopped.withLock { $0 } && reference.hasStopped.withLock { $0 })
        return Run(
            noise: noise, start: start, slices: told.withLock { $0 }, returns: returns.withLock { $0 })
    }

    private struct Run {
        let noise: [Float]
        let start: ClockTime
        let slices: [CapturedAudio]
        let returns: Int

        /// Returns whether a slice contains the microphone's audio at its sample count, with the time of that
        /// audio.
        func isAligned(_ slice: CapturedAudio) -> Bool {
            let first = Int(slice.firstSample)
            guard first >= 0 else { return false }
            return error(of: slice).magnitude < .microseconds(100)
                && slice.samples[...] == noise[first..<first + slice.frameCount]
        }

        /// Returns how much later the capture time is than the sample count indicates.
        func error(of slice: CapturedAudio) -> Nanoseconds {
            slice.capturedAt - start - Nanoseconds(slice.firstSample * 1_000_000_000 / 16_000)
        }
    }

    private func audio(_ samples: ArraySlice<Float>, _ first: Int, _ time: ClockTime) -> CapturedAudio {
        CapturedAudio(
            format: voice.format, capturedAt: time, firstSample: Int64(first), samples: Array(samples))
    }

    @Test("from its first delivered sample, the voice has the microphone's sample counts and times")
    func dated() throws {
        let run = try run(seconds: 5, noise: { _ in true })
        #expect(run.slices.count > 200, "two looks suffice")
        #expect(run.slices.allSatisfy(run.isAligned) && run.returns == 0)
    }

    @Test(
        "a block that the server holds back is detected within two seconds, and isn't taken for clock drift",
        arguments: [128, 690])
    func keptBlock(length: Int) throws {
        let run = try run(seconds: 8, noise: { _ in true }, heldBack: { $0 < 4 ? 0 : length })
        let wrong = run.slices.indices.filter { !run.isAligned(run.slices[$0]) }
        #expect(wrong.count < 200)
        #expect(wrong.allSatisfy { run.slices[$0].capturedAt >= run.start + .milliseconds(3_900) })
        #expect(run.slices.suffix(150).allSatisfy(run.isAligned) && run.returns == 0)
        for (slice, next) in zip(run.slices, run.slices.dropFirst()) {
            #expect(next.firstSample >= slice.firstSample + Int64(slice.frameCount), "nothing comes twice")
        }
        #expect(run.slices.allSatisfy { run.error(of: $0).magnitude < .microseconds(100) })
    }

    @Test(
        "in silence, the voice starts after three seconds with its own timestamps, and is realigned by sound"
    )
    func silence() throws {
        let run = try run(seconds: 9, noise: { $0 >= 5 })
        let first = try #require(run.slices.first)
        #expect(Double(first.firstSample) / 16_000 >= 2.9 && first.firstSample < 50_000)
        let own = run.slices.prefix { $0.capturedAt < run.start + .seconds(5) }
        #expect(own.allSatisfy { run.error(of: $0) == .zero })
        #expect(run.slices.suffix(100).allSatisfy(run.isAligned) && run.returns == 1)
    }

    @Test("the voice is away while its microphone is, and doesn't return with unrelated audio")
    func away() throws {
        let aligned = try AlignedVoice(voice, of: reference)
        let told = ConditionLock<[String]>([])
        try aligned.start(on: MonotonicClock()) { event in
            told.withLock { told in
                switch event {
                case .audio: if told.last != "sound" { told.append("sound") }
                case .outageBegan(_, let cause): told.append("away: \(cause)")
                case .outageEnded: told.append("returned")
                case .lost, .notice, .ended: told.append("else")
                }
            }
        }
        var generator = SystemRandomNumberGenerator()
        func deliver(from begin: Int, seconds: Int, foreign: Bool) {
            func noise() -> [Float] {
                (0..<seconds * 16_000).map { _ in Float.random(in: -0.1...0.1, using: &generator) }
            }
            let own = noise()
            let other = foreign ? noise() : own
            for index in stride(from: 160, to: own.count - 160, by: 160) {
                let time = start + .milliseconds(Int64((begin + index) / 16))
                reference.deliver(.audio(audio(own[index..<index + 160], begin + index, time)))
                voice.deliver(.audio(audio(other[index - 160..<index], begin + index, time)))
                aligned.waitUntilCompared()
            }
        }
        deliver(from: 0, seconds: 5, foreign: false)
        reference.deliver(.outageBegan(at: start + .seconds(5), cause: "unplugged"))
        reference.deliver(.outageEnded(at: start + .seconds(6)))
        deliver(from: 96_000, seconds: 5, foreign: true)
        #expect(told.withLock { $0 } == ["sound", "away: unplugged"])
        deliver(from: 192_000, seconds: 5, foreign: false)
        #expect(told.withLock { $0 } == ["sound", "away: unplugged", "returned", "sound"])
        #expect(aligned.settlingTime == .seconds(3) && aligned.stampCorrelation == reference.stampCorrelation)
        aligned.stop()
    }
}
