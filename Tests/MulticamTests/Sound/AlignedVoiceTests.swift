import Media
import Testing

@testable import MulticamKit

@Suite("a microphone's voice beside it")
struct AlignedVoiceTests {
    /// Delivers what the test gives it, on the test's thread.
    private final class Source: MicrophoneSource {
        private let receiver = Monitor<(@Sendable (MicrophoneEvent) -> Void)?>(nil)
        let hasStopped = Monitor(false)

        let device = CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: "made"), name: "made",
            node: "made", selector: "made")
        let format = SoundFormat(rate: 16_000, channels: 1)
        let deliveryDelay = Nanoseconds.milliseconds(60)
        let stampCorrelation = Nanoseconds.milliseconds(1500)

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
        ) throws(DeviceError) { receiver.withLock { $0 = receive } }

        func stop() { hasStopped.withLock { $0 = true } }

        func deliver(_ event: MicrophoneEvent) { receiver.withLock { $0 }?(event) }
    }

    private let voice = Source()
    private let heard = Source()
    private let start = ClockTime(nanoseconds: 1_000_000_000)

    /// Starts both and delivers so many seconds of noise, or of silence: the voice 20 ms later than its stamps say.
    ///
    /// - Returns: For what was told by how much the dates are wrong, by the second.
    private func run(seconds: Int, silent: Bool) throws -> [(second: Double, error: Nanoseconds)] {
        let aligned = try AlignedVoice(voice, of: heard)
        let told = Monitor<[CapturedSound]>([])
        try aligned.start(on: MonotonicClock()) { event in
            if case .sound(let sound) = event { told.withLock { $0.append(sound) } }
        }
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<seconds * 16_000).map { _ in
            silent ? 0 : Float.random(in: -0.1...0.1, using: &generator)
        }
        for begin in stride(from: 0, to: noise.count, by: 160) {
            let time = start + .milliseconds(Int64(begin / 16))
            heard.deliver(.sound(sound(noise[begin..<begin + 160], begin, time)))
            aligned.waitUntilCompared()
            let late = (begin - 320..<begin - 160).map { $0 < 0 ? 0 : noise[$0] }
            voice.deliver(.sound(sound(late[...], begin, time)))
        }
        aligned.stop()
        #expect(voice.hasStopped.withLock { $0 } && heard.hasStopped.withLock { $0 })
        return told.withLock { $0 }.map { sound in
            let truth = start + .milliseconds(sound.firstSample / 16 - 20)
            return (Double(sound.firstSample) / 16_000, sound.capturedAt - truth)
        }
    }

    private func sound(_ samples: ArraySlice<Float>, _ first: Int, _ time: ClockTime) -> CapturedSound {
        CapturedSound(
            format: voice.format, capturedAt: time, firstSample: Int64(first), samples: Array(samples))
    }

    @Test("from its first delivered sample on it has the dates of the microphone")
    func dated() throws {
        let told = try run(seconds: 5, silent: false)
        let first = try #require(told.first)
        #expect(first.second < 3, "two looks suffice")
        #expect(told.last?.second ?? 0 > 4.9)
        for slice in told { #expect(slice.error.magnitude < .microseconds(100), "\(slice)") }
    }

    @Test("in silence it is delivered after three seconds, as its own stamps say")
    func silence() throws {
        let told = try run(seconds: 5, silent: true)
        #expect(try #require(told.first).second.rounded() == 3)
        for slice in told { #expect(slice.error == .milliseconds(20)) }
    }

    @Test("while its microphone is away it is away, and in another's sound it does not come back")
    func away() throws {
        let aligned = try AlignedVoice(voice, of: heard)
        let told = Monitor<[String]>([])
        try aligned.start(on: MonotonicClock()) { event in
            told.withLock { told in
                switch event {
                case .sound: if told.last != "sound" { told.append("sound") }
                case .away(_, let cause): told.append("away: \(cause)")
                case .returned: told.append("returned")
                case .lost, .ended: told.append("else")
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
                heard.deliver(.sound(sound(own[index..<index + 160], begin + index, time)))
                voice.deliver(.sound(sound(other[index - 160..<index], begin + index, time)))
                aligned.waitUntilCompared()
            }
        }
        deliver(from: 0, seconds: 5, foreign: false)
        heard.deliver(.away(at: start + .seconds(5), cause: "unplugged"))
        heard.deliver(.returned(at: start + .seconds(6)))
        deliver(from: 96_000, seconds: 5, foreign: true)
        #expect(told.withLock { $0 } == ["sound", "away: unplugged"])
        deliver(from: 192_000, seconds: 5, foreign: false)
        #expect(told.withLock { $0 } == ["sound", "away: unplugged", "returned", "sound"])
        #expect(aligned.settlingTime == .seconds(3) && aligned.stampCorrelation == heard.stampCorrelation)
        aligned.stop()
    }
}
