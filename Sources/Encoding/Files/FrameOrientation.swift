internal import CMulticamMedia
import MulticamMedia

/// Transformation that makes the stored frames of a file or an image upright: a left-to-right mirroring,
/// followed by a rotation.
struct FrameOrientation: Equatable {
    /// Clockwise rotation that makes the frame upright.
    var rotation = Rotation.none
    /// Whether the frame is mirrored left to right before the rotation.
    var isMirrored = false

    /// Creates the orientation from a display matrix as stored in MP4 and MOV files. Rotation angles are
    /// rounded to the nearest multiple of 90 degrees.
    ///
    /// - Parameter matrix: The nine numbers of FFmpeg's `AV_FRAME_DATA_DISPLAYMATRIX`.
    init(matrix: UnsafePointer<Int32>) {
        let (a, b, c, d) = (Int64(matrix[0]), Int64(matrix[1]), Int64(matrix[3]), Int64(matrix[4]))
        // Products of two 32-bit numbers fit into 64 bits, but the difference of two products might not, so
        // the products are compared.
        isMirrored = a * d < b * c
        // Direction of the frame's right edge before mirroring.
        let (x, y) = isMirrored ? (-a, -b) : (a, b)
        if abs(x) >= abs(y) {
            rotation = x < 0 ? .half : .none
        } else {
            rotation = y > 0 ? .quarter : .threeQuarters
        }
    }

    /// Creates the orientation from the value of the Exif tag `Orientation`, 1…8; `nil` for any other value.
    init?(exif number: Int) {
        guard (1...8).contains(number) else { return nil }
        isMirrored = [2, 4, 5, 7].contains(number)
        rotation =
            switch number {
            case 3, 4: .half
            case 6, 7: .quarter
            case 5, 8: .threeQuarters
            default: .none
            }
    }

    /// Creates the orientation of frames that are stored upright.
    init() {}

    /// Reads the orientation of a decoded frame, or of the frame's stream if the frame doesn't specify one.
    init(of frame: UnsafePointer<AVFrame>, in stream: UnsafePointer<AVStream>) {
        if let matrix = media_display_matrix(frame) ?? media_stream_matrix(stream) {
            self.init(matrix: matrix)
        } else if let text = media_exif_orientation(frame),
            let number = Int(String(cString: text).filter(\.isNumber)), let known = Self(exif: number)
        {
            self = known
        } else {
            self.init()
        }
    }
}
