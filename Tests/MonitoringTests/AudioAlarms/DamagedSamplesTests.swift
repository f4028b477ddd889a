import MulticamMedia
import Testing

@testable import MulticamMonitoring
@testable import MulticamTiming

@Suite("invalid audio samples")
struct DamagedSamplesTests {
    private func slice(_ samples: [Float], channels: Int = 1) -> CapturedAudio {
        CapturedAudio(
            format: AudioFormat(rate: 48_000, channels: channels), capturedAt: ClockTime(nanoseconds: 0),
            firstSample: 0, samples: samples)
    }

    @Test("samples beyond full scale are valid", arguments: [0, -0.0, 1, -1.5, 32, -1000] as [Float])
    func audio(value: Float) {
        let (audio, frames) = DamagedSamples.repaired(slice([0.5, value]), sourceChannels: [])
        #expect(audio.samples == [0.5, value] && frames.isEmpty)
    }

    @Test(
        "NaN, infinite, and absurdly large samples become silence",
        arguments: [.nan, -.nan, .signalingNaN, .infinity, -.infinity, 1e30, -1e30, 1000.5] as [Float])
    func damage(value: Float) {
        let (audio, frames) = DamagedSamples.repaired(
            slice([0.5, value, value, 0.25, value]), sourceChannels: [])
        #expect(audio.samples == [0.5, 0, 0, 0.25, 0])
        #expect(frames == [1..<3, 4..<5])
    }

    @Test("an unselected channel causes no gap")
    func unselected() {
        let samples: [Float] = [0.1, .nan, 0.2, 0.3, .infinity, 0.4]
        let (audio, frames) = DamagedSamples.repaired(slice(samples, channels: 2), sourceChannels: [1])
        #expect(audio.samples == [0.1, 0, 0.2, 0.3, 0, 0.4])
        #expect(frames == [0..<1])
    }

    @Test("damaged samples less than a second apart form one gap")
    func stretches() {
        var damage = AudioDamage(track: "host")
        var told: [Gap] = []
        // Every tenth sample of the first second is damaged, and then three samples after three seconds.
        for block in 0..<200 {
            let begin = Int64(block) * 960
            let first = stride(from: begin, to: begin + 960, by: 10).map { $0..<$0 + 1 }
            let ranges = block < 50 ? first : block == 150 ? [begin..<begin + 3] : []
            told += damage.add(ranges, through: begin + 960)
        }
        told += damage.finish()
        #expect(told == damage.gaps && told.count == 2)
        #expect(told[0].from == .zero && told[0].cause == "corrupt" && told[0].track == "host")
        #expect(told[0].to == AudioGrid.samples.time(ofTick: 47_991))
        #expect(told[1].from == AudioGrid.samples.time(ofTick: 144_000))
        #expect(told[1].to == AudioGrid.samples.time(ofTick: 144_003))
    }
}
