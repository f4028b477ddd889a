import MulticamEncoding
import MulticamMedia

/// An image file, loaded as an upright frame in packed I420 (full-range BT.601).
struct StillFrame: Sendable {
    /// Position of the Y, Cb, or Cr samples on a canvas: the plane, the byte offset, and the number of bytes from one
    /// sample to the next.
    private struct Component {
        let plane: Int
        let offset: Int
        let columnStep: Int
    }

    private let size: FrameSize
    private let memory: SharedBytes
    private let planes: [FramePlane]

    /// Loads and scales an image file.
    ///
    /// - Parameters:
    ///   - path: Path of the image.
    ///   - size: Width × height of the upright frame in pixels. Both dimensions must be even.
    /// - Throws: An error if the file is missing or isn't an image.
    init(path: String, size: FrameSize) throws(EncodingError) {
        self.size = size
        memory = try StillImage.load(path: path, size: size)
        planes = FramePlane.packed(.i420, size).planes
    }

    /// Paints the image, rotated and converted to the canvas's range. This method runs only once, when a camera is
    /// turned on.
    func paint(on canvas: Canvas, rotation: Rotation, color: ColorDescription) {
        precondition(color.matrix == .bt601, "a still image must use the BT.601 matrix")
        let isFull = color.range == .full
        let lumaCodes = (0...255).map { isFull ? UInt8($0) : UInt8(rounding: 16 + 219 * Double($0) / 255) }
        let chromaCodes = (0...255).map {
            isFull ? UInt8($0) : UInt8(rounding: 128 + 224 * (Double($0) - 128) / 255)
        }
        for (index, component) in Self.components(of: canvas.pixel).enumerated() {
            paint(index, as: component, on: canvas, rotation, codes: index == 0 ? lumaCodes : chromaCodes)
        }
    }

    private func paint(
        _ plane: Int, as component: Component, on canvas: Canvas, _ rotation: Rotation, codes: [UInt8]
    ) {
        let scale = plane == 0 ? 1 : 2
        let (width, height) = (canvas.size.width / scale, canvas.size.height / scale)
        // In formats with full-height chroma, each chroma row of the image is used for two rows of the frame.
        let rowsEach = plane > 0 && (canvas.pixel == .yuyv || canvas.pixel == .i422) ? 2 : 1
        let row = planes[plane].stride
        let (uprightWidth, uprightHeight) = (size.width / scale, size.height / scale)
        // Moving along a stored row corresponds to moving along an upright row or column, forward or backward.
        let (first, along, down) =
            switch rotation {
            case .none: (0, 1, row)
            case .quarter: (uprightWidth - 1, row, -1)
            case .half: ((uprightHeight - 1) * row + uprightWidth - 1, -1, -row)
            case .threeQuarters: ((uprightHeight - 1) * row, -row, 1)
            }
        let source = memory.start.assumingMemoryBound(to: UInt8.self) + planes[plane].offset
        codes.withUnsafeBufferPointer { codes in
            for y in 0..<height * rowsEach {
                var place = first + y / rowsEach * down
                var target = canvas.row(y, of: component.plane) + component.offset
                for _ in 0..<width {
                    target.pointee = codes[Int(source[place])]
                    place += along
                    target += component.columnStep
                }
            }
        }
    }

    private static func components(of pixel: PixelFormat) -> [Component] {
        switch pixel {
        case .yuyv:
            [
                Component(plane: 0, offset: 0, columnStep: 2), Component(plane: 0, offset: 1, columnStep: 4),
                Component(plane: 0, offset: 3, columnStep: 4),
            ]
        case .grey: [Component(plane: 0, offset: 0, columnStep: 1)]
        case .nv12:
            [
                Component(plane: 0, offset: 0, columnStep: 1), Component(plane: 1, offset: 0, columnStep: 2),
                Component(plane: 1, offset: 1, columnStep: 2),
            ]
        default: (0..<3).map { Component(plane: $0, offset: 0, columnStep: 1) }
        }
    }
}
