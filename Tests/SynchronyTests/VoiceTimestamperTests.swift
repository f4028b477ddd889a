import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamSynchrony

@Suite("Capture times of processed voice from its microphone")
struct VoiceTimestamperTests {
    /// A sound server that processes a microphone's audio, with a larger delay than it reports, and loses a
    /// block from time to time.
    private struct Server {
        static let rate = 16_000
        static let slice = 160
        let audio: [Float]
        /// Delay of the processed voice in samples, at an index of the audio.
        let delay: (Int) -> Int
        /// Error of the server's timestamps.
        let mistake = Nanoseconds.milliseconds(-14)
        /// The count of the processed voice at count 0 of the microphone.
        let firstCount: Int64 = 4_321
        private var generator = SeededGenerator(seed: 3)

        init(_ audio: SyntheticAudio, delay: @escaping (Int) -> Int) {
            self.audio = audio.samples
            self.delay = delay
        }

        private static func time(_ index: Int) -> ClockTime {
            ClockTime(nanoseconds: 1_000_000_000 + Int64(index) * 1_000_000_000 / Int64(rate))
        }

        private func captured(_ samples: [Float], _ count: Int64, at time: ClockTime) -> CapturedAudio {
            CapturedAudio(
                format: AudioFormat(rate: Self.rate, channels: 1), capturedAt: time, firstSample: count,
                samples: samples)
        }

        /// Processes all of the audio.
        ///
        /// - Parameter hole: The index of a one-second jump in the microphone's count.
        /// - Returns: The error of the capture time of each processed slice; `nil` for a slice without a
        ///   capture time.
        /// - Throws: An error if memory is exhausted.
        mutating func run(hole: Int = .max) throws -> [Nanoseconds?] {
            var dating = VoiceTimestamper(rate: Self.rate)
            let correlation = try AudioCorrelation(
                rate: Double(Self.rate), largestOffset: VoiceTimestamper.largestDelay,
                piece: VoiceTimestamper.window)
            var errors: [Nanoseconds?] = []
            for begin in stride(from: 0, to: audio.count - Self.slice, by: Self.slice) {
                let jitter = Nanoseconds.microseconds(Int64.random(in: -300...300, using: &generator))
                dating.addMicrophoneAudio(
                    captured(
                        Array(audio[begin..<begin + Self.slice]),
                        Int64(begin + (begin >= hole ? Self.rate : 0)),
                        at: Self.time(begin)))
                let origin = begin - delay(begin)
                // Processing reduces the amplitude.
                let samples = (origin..<origin + Self.slice).map { $0 < 0 ? 0 : 0.6 * audio[$0] }
                let place = dating.addVoiceAudio(
                    captured(samples, firstCount + Int64(begin), at: Self.time(origin) + mistake + jitter))
                let error = place.map { $0.time - Self.time(origin) }
                errors.append(error)
                if let place, let error {
                    let wrong = place.sample - Int64(origin + (begin >= hole ? Self.rate : 0))
                    #expect(
                        abs(Double(wrong) / Double(Self.rate) - error.inSeconds) < 0.0001, "counted as dated")
                }
                if let look = dating.nextComparison() {
                    dating.applyResult(correlation.peak(of: look.microphone, and: look.voice), of: look)
                }
            }
            return errors
        }
    }

    private func speech(seconds: Double, seed: UInt64) -> SyntheticAudio {
        var (audio, speech) = (
            SyntheticAudio(seconds: seconds, rate: Double(Server.rate)), SyntheticSpeech(seed: seed)
        )
        _ = speech.speak(into: &audio)
        audio.noise(0.003, seed: seed)
        return audio
    }

    private func slice(at second: Double) -> Int { Int(second * Double(Server.rate)) / Server.slice }

    @Test(
        "after two seconds of speech, capture times are accurate to 0.1 ms, regardless of the server",
        arguments: [1, 2, 3] as [UInt64])
    func speech(seed: UInt64) throws {
        var server = Server(speech(seconds: 6, seed: seed)) { _ in 480 }
        let errors = try server.run()
        #expect(errors.prefix(slice(at: 1)).allSatisfy { $0 == nil })
        for error in errors.dropFirst(slice(at: 2)) {
            #expect(try #require(error).magnitude < .microseconds(100))
        }
    }

    @Test("a block lost by the server is detected within 2.5 s; until then, the offset is unchanged")
    func lostBlock() throws {
        let lost = 3 * Server.rate
        var server = Server(speech(seconds: 8, seed: 4)) { $0 < lost ? 480 : 480 + 341 }
        let errors = try server.run()
        for (index, error) in errors.enumerated().dropFirst(slice(at: 2)) {
            let magnitude = try #require(error).magnitude
            if index < slice(at: 3) || index > slice(at: 5.5) { #expect(magnitude < .microseconds(100)) }
            #expect(magnitude < .milliseconds(22), "nothing in between was ever true")
        }
    }

    @Test("silence and tones do not give capture times")
    func nothing() throws {
        let silence = SyntheticAudio(seconds: 5, rate: Double(Server.rate))
        var tone = silence
        tone.beep(at: 0, lasting: 5)
        for audio in [silence, tone] {
            var server = Server(audio) { _ in 480 }
            #expect(try server.run().allSatisfy { $0 == nil })
        }
    }

    @Test("capture times stay correct across a gap in the microphone's audio if its count includes the gap")
    func hole() throws {
        let hole = 3 * Server.rate
        var server = Server(speech(seconds: 7, seed: 5)) { _ in 480 }
        let errors = try server.run(hole: hole)
        for (index, error) in errors.enumerated().dropFirst(slice(at: 2)) {
            // The processed voice doesn't have a gap here, so it is off by one second until the next
            // comparison.
            let truth = try #require(error)
            if index < slice(at: 3) || index > slice(at: 5) { #expect(truth.magnitude < .microseconds(100)) }
        }
    }
}
