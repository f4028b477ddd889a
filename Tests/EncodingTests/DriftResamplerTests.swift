import Foundation
import MulticamEncoding
import MulticamMedia
import Testing

@Suite("Drift resampler")
struct DriftResamplerTests {
    /// A sine with the given number of cycles per sample.
    private func tone(_ frames: Range<Int>, cycles: Double, channels: Int = 1) -> [Float] {
        frames.flatMap { index in
            [Float](repeating: Float(0.5 * sin(2 * .pi * cycles * Double(index))), count: channels)
        }
    }

    @Test(
        "the length follows the corrections within one sample per minute",
        arguments: [
            (48_000, [0.0]), (48_000, [37.3]), (44_100, [-120.7]), (16_000, [3.1, -250, 80.25]),
            (96_000, [0.4]),
        ])
    func length(rate: Int, corrections: [Double]) throws {
        let resampler = try Codecs().makeResampler(from: AudioFormat(rate: rate, channels: 1), name: "host")
        let slice = [Float](repeating: 0.1, count: rate / 50)
        var (wanted, count) = (0.0, 0)
        let slices = 3000
        for index in 0..<slices {
            let correction = corrections[index * corrections.count / slices]
            if index * corrections.count % slices < corrections.count {
                try resampler.correct(partsPerMillion: correction)
            }
            count += try resampler.convert(slice).count
            wanted += Double(slice.count) / Double(rate) * 48_000 * (1 + correction * 1e-6)
        }
        let inside = resampler.delay.inSeconds * 48_000
        #expect(abs(wanted - inside - Double(count)) < 1)
        count += try resampler.drain().count
        #expect(abs(wanted - Double(count)) < 1.5)
    }

    @Test("a 1 kHz tone stays clean while the correction changes", arguments: [48_000, 44_100, 16_000])
    func cleanness(rate: Int) throws {
        let resampler = try Codecs().makeResampler(from: AudioFormat(rate: rate, channels: 1), name: "host")
        var output: [Float] = []
        for index in 0..<200 {
            // The correction changes as in a clock model, by 20 ppm per second.
            try resampler.correct(partsPerMillion: 40 + Double(index) * 0.2)
            output += try resampler.convert(
                tone(index * rate / 100..<(index + 1) * rate / 100, cycles: 1000 / Double(rate)))
        }
        // Frequency, amplitude, and phase of the tone are fitted in windows of 50 ms, because the change of
        // pitch is negligible there. The residual is distortion and noise.
        for start in stride(from: 4800, to: output.count - 4800, by: 2400) {
            #expect(residue(Array(output[start..<start + 2400])) < -85)
        }
    }

    /// Returns the residual of a tone of about 1 kHz after subtracting the best-fitting sine, in dB relative
    /// to the tone.
    private func residue(_ samples: [Float]) -> Double {
        // The phase difference between both halves gives the deviation from 1 kHz.
        let half = samples.count / 2
        let nominal: Double = 2 * .pi / 48
        let turn = fit(samples[half...], step: nominal).phase - fit(samples[..<half], step: nominal).phase
        let step = nominal + remainder(turn, 2 * .pi) / Double(half)
        return 10 * log10(fit(samples[...], step: step).residue)
    }

    /// Returns the phase at index 0 of the best-fitting sine of a fixed frequency, and the fraction of the
    /// power that remains.
    private func fit(_ samples: ArraySlice<Float>, step: Double) -> (phase: Double, residue: Double) {
        var (s, c, ss, cc, sc, power) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for index in samples.indices {
            let (sine, cosine, value) = (
                sin(step * Double(index)), cos(step * Double(index)), Double(samples[index])
            )
            s += value * sine
            c += value * cosine
            ss += sine * sine
            cc += cosine * cosine
            sc += sine * cosine
            power += value * value
        }
        let determinant = ss * cc - sc * sc
        let (a, b) = ((s * cc - c * sc) / determinant, (c * ss - s * sc) / determinant)
        return (atan2(b, a), max(0, power - a * s - b * c) / power)
    }

    @Test("channels aren't mixed, and their number is preserved", arguments: [2, 6])
    func channels(count: Int) throws {
        let resampler = try Codecs().makeResampler(
            from: AudioFormat(rate: 44_100, channels: count), name: "host")
        let input = (0..<4410).flatMap { _ in (0..<count).map { Float($0) / 10 } }
        let output = try resampler.convert(input) + resampler.drain()
        #expect(output.count == 4800 * count)
        for channel in 0..<count { #expect(abs(output[2400 * count + channel] - Float(channel) / 10) < 1e-3) }
    }

    @Test("the output starts at the same time as the input")
    func beginning() throws {
        let resampler = try Codecs().makeResampler(from: AudioFormat(rate: 48_000, channels: 1), name: "host")
        #expect(resampler.delay == .zero)
        var input = [Float](repeating: 0, count: 4800)
        input[1000] = 1
        let first = try resampler.convert(input)
        #expect(abs(Double(first.count) + resampler.delay.inSeconds * 48_000 - 4800) < 0.1)
        let loudest = first.indices.max { abs(first[$0]) < abs(first[$1]) }
        #expect(loudest == 1000)
        #expect(try first.count + resampler.drain().count == 4800)
        // The result must also be the same after draining.
        let second = try resampler.convert(input)
        #expect(second == first)
    }

    @Test("unreasonable formats and corrections are rejected")
    func refused() throws {
        #expect(throws: EncodingError.self) {
            try Codecs().makeResampler(from: AudioFormat(rate: 7999, channels: 1), name: "a")
        }
        #expect(throws: EncodingError.self) {
            try Codecs().makeResampler(from: AudioFormat(rate: 48_000, channels: 9), name: "a")
        }
        let resampler = try Codecs().makeResampler(from: AudioFormat(rate: 48_000, channels: 1), name: "a")
        #expect(throws: EncodingError.self) { try resampler.correct(partsPerMillion: 20_000) }
        #expect(throws: EncodingError.self) { try resampler.correct(partsPerMillion: .nan) }
    }
}
