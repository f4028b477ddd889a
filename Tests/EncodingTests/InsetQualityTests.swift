import Foundation
import MulticamMedia
import Testing

@testable import MulticamEncoding

/// Compares the scaling quality of an inset with ffmpeg's best and slowest scaler.
@Suite("Inset quality")
struct InsetQualityTests {
    /// A scene with detail at all scales, as in a photo. Each octave has half the amplitude of the previous
    /// one, and the finest has a wavelength of three pixels.
    private static func scene(_ x: Int, _ y: Int) -> Int {
        var sum = 128.0
        var (amplitude, wave) = (40.0, 400.0)
        while wave >= 3 {
            let angle = wave * 1.7
            let (u, v) = (
                Double(x) * cos(angle) + Double(y) * sin(angle),
                Double(y) * cos(angle) - Double(x) * sin(angle)
            )
            sum += amplitude * sin(u * 2 * .pi / wave) * cos(v * 1.4 * .pi / wave)
            (amplitude, wave) = (amplitude / 2, wave / 2)
        }
        return Int(min(max(sum, 0), 255))
    }

    @Test(
        "an inset has a PSNR of at least 40 dB relative to Lanczos scaling",
        arguments: [(320, 180), (426, 240), (480, 270), (640, 360), (160, 90)])
    func insets(width: Int, height: Int) throws {
        let frame = try TestFrames.jpeg(1280, 720) { [Self.scene($0, $1), 128, 128] }
        let canvas = Canvas(width, height)
        let compositor = Compositor(color: .jpeg)
        compositor.compose([FrameLayer(frame, at: 0, 0, width, height)], onto: canvas.planes)
        let workbench = try Workbench()
        let file = try workbench.write(Array(frame.memory.bytes), "inset.jpg")
        let reference = try workbench.run(
            "ffmpeg",
            [
                "-v", "error", "-i", file, "-vf",
                "scale=\(width):\(height):flags=lanczos+accurate_rnd+full_chroma_int:in_range=full:out_range=full,format=yuvj420p",
                "-f", "rawvideo", "-",
            ])
        let luma = zip(canvas.allBytes, reference).prefix(width * height)
        let squares = luma.reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        let decibels = 10 * log10(255 * 255 * Double(width * height) / Double(max(squares, 1)))
        #expect(decibels >= 40)
    }
}
