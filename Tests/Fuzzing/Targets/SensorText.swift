import MulticamMedia

@testable import MulticamCapture

/// Tests the sysfs files of an accelerometer, including its mounting orientation.
final class SensorText: FuzzTarget {
    static let name = "sensor"
    static let limit = 512
    private let files: ScratchFiles

    private static let device = "sys/bus/iio/devices/iio:device0"

    /// The files for the parts of an input, in order.
    private static let parts = [
        "in_accel_x_raw", "in_accel_y_raw", "in_accel_z_raw", "in_accel_scale", "in_accel_offset",
        "in_accel_mount_matrix", "label",
    ].map { "\(device)/\($0)" }

    init(folder: String) {
        files = ScratchFiles(folder: folder)
        files.makeFolder(Self.device)
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let parts = InputParts(bytes, count: Self.parts.count)
        for (index, path) in Self.parts.enumerated() { files.set(path, parts[index]) }
        let felt: Acceleration
        do throws(SensorError) {
            felt = try Accelerometer(sysfs: files.path("sys")).acceleration()
        } catch {
            return try requireDisplayable(error.reason)
        }
        try require(felt.magnitude.isFinite && felt.magnitude > 0, "\(felt.magnitude) m/s² are felt")
    }
}
