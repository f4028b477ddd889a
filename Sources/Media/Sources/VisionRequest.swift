/// A camera whose frames `multicam-vision` examines, as a line of JSON on its standard input.
package struct VisionRequest: Sendable, Equatable, Codable {
    /// The camera's role.
    package var role: String
    /// Detection types; empty to stop analyzing the camera's frames.
    package var detect: [DetectionKind]
    /// Width and height of the examined frames in pixels.
    package var width: Int
    package var height: Int
    /// Examined frames per second.
    package var rate: String
    /// Clockwise rotation in degrees that makes the frames upright.
    package var rotation: Int

    /// Creates a request. Each parameter sets the property of the same name.
    package init(
        role: String, detect: [DetectionKind], size: FrameSize, rate: FrameRate, rotation: Rotation
    ) {
        (self.role, self.detect, width, height) = (role, detect, size.width, size.height)
        (self.rate, self.rotation) = (rate.description, rotation.degrees)
    }
}

/// A line that `multicam-vision` writes every second.
package struct VisionReport: Sendable, Equatable, Codable {
    /// Number of frames that were examined since the process began.
    package var examined: Int
    /// Processor time of the process in nanoseconds.
    package var processor_ns: Int64

    /// Creates a report. Each parameter sets the property of the same name.
    package init(examined: Int, processor: Nanoseconds) {
        (self.examined, processor_ns) = (examined, processor.count)
    }
}

/// The stream of frames that `multicam-vision --frames` receives from a renderer.
///
/// The stream is a socket with the number `descriptor`. It contains a `VisionRequest` as one line of JSON, and then for each
/// frame its time in nanoseconds since T0 (8 bytes, little-endian) and its luma (one byte per pixel, row by row). For each
/// frame, the process writes an `AnalyzedFrame` as a line to standard output. The process ends with the stream or with standard
/// input.
package enum AnalysisStream {
    /// The option of `multicam-vision`.
    package static let option = "--frames"
    /// Number of the descriptor in the process.
    package static let descriptor: Int32 = 3
    /// Valid widths and heights of frames.
    package static let sides = 16...1024
}
