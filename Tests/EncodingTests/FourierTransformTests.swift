import Glibc
import MulticamEncoding
import Testing

@Suite("Fourier transform")
struct FourierTransformTests {
    @Test(
        "A sinusoid has a single spectral line, and the inverse transform returns it scaled by the length",
        arguments: [16, 1024])
    func line(length: Int) throws {
        let turn = 2 * Double.pi * 3 / Double(length)
        let wave = (0..<length).flatMap { [Float(cos(turn * Double($0))), Float(sin(turn * Double($0)))] }
        var (input, spectrum) = (wave, wave)
        try FourierTransform(length: length, .forward).transform(&input, into: &spectrum)
        for bin in 0..<length {
            let wanted: Float = bin == 3 ? Float(length) : 0
            #expect(abs(spectrum[2 * bin] - wanted) < 0.01 && abs(spectrum[2 * bin + 1]) < 0.01)
        }
        var back = wave
        try FourierTransform(length: length, .inverse).transform(&spectrum, into: &back)
        #expect(zip(back, wave).allSatisfy { abs($0 / Float(length) - $1) < 0.001 })
    }
}
