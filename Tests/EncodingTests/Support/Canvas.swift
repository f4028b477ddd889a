import MulticamMedia

@testable import MulticamEncoding

/// A 4:2:0 frame that tests paint and inspect.
final class Canvas {
    let size: FrameSize
    let memory: SharedBytes
    let planes: Planes

    init(_ width: Int, _ height: Int) {
        size = FrameSize(width: width, height: height)
        memory = SharedBytes(count: FramePlane.packed(.i420, size).byteCount)
        planes = Planes(i420: memory, size: size)
    }

    /// Creates a canvas from raw I420 bytes, as written by ffmpeg.
    init(_ width: Int, _ height: Int, _ bytes: some Collection<UInt8>) {
        size = FrameSize(width: width, height: height)
        memory = SharedBytes(bytes)
        planes = Planes(i420: memory, size: size)
    }

    /// Returns the codes of one pixel.
    subscript(_ x: Int, _ y: Int) -> [Int] {
        [
            Int(planes.y[y * planes.yStride + x]), Int(planes.u[y / 2 * planes.uStride + x / 2]),
            Int(planes.v[y / 2 * planes.vStride + x / 2]),
        ]
    }

    func luma(_ x: Int, _ y: Int) -> Int { self[x, y][0] }

    var allBytes: [UInt8] { Array(memory.bytes) }
}

/// Returns the largest difference between codes.
func distance(_ a: [Int], _ b: [Int]) -> Int {
    zip(a, b).map { abs($0 - $1) }.max() ?? 0
}
