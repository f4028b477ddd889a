internal import Containers
public import FoundationEssentials
public import Media

/// Facts of a still: the moment, and the camera and its settings then.
public struct StillFacts: Sendable, Equatable {
    /// Date at which the exposure began.
    public var date: Date
    /// Clockwise rotation of the stored frame that makes it upright.
    public var rotation: Rotation
    /// Whether the profile mirrors the camera.
    public var isMirrored: Bool
    /// Manufacturer as the camera names it; empty when it names none.
    public var make: String
    /// Model as the camera names it.
    public var model: String
    /// Exposure time, in nanoseconds; known only in manual exposure, or when the driver reads the control from the
    /// camera each time.
    public var exposureTime: Nanoseconds?
    /// Whether the exposure is automatic, or `nil` when the camera has no such control.
    public var isExposureAutomatic: Bool?
    /// Whether the white balance is automatic, or `nil` when the camera has no such control.
    public var isWhiteBalanceAutomatic: Bool?

    /// Collects the facts of a still from a camera's device and controls.
    ///
    /// - Parameters:
    ///   - date: Date at which the exposure began.
    ///   - device: The camera's device.
    ///   - rotation: Clockwise rotation of the stored frame that makes it upright.
    ///   - isMirrored: Whether the profile mirrors the camera.
    ///   - controls: The camera's controls as they are now.
    public init(
        date: Date, device: CaptureDevice, rotation: Rotation, isMirrored: Bool, controls: [DeviceControl]
    ) {
        self.date = date
        self.rotation = rotation
        self.isMirrored = isMirrored
        make = device.manufacturer
        model = device.name
        func isAutomatic(_ governor: ControlGovernor) -> Bool? {
            controls.first(of: governor.names).map { !governor.isManual(at: $0.value) }
        }
        isExposureAutomatic = isAutomatic(.exposure)
        isWhiteBalanceAutomatic = isAutomatic(.whiteBalance)
        if let time = controls.first(of: ControlGovernor.exposure.governed),
            isExposureAutomatic != true || time.isVolatile, time.value > 0, time.value <= 1_000_000
        {
            // The control counts in units of 100 µs (kernel documentation, ext-ctrls-camera).
            exposureTime = .microseconds(100) * time.value
        }
    }

    /// The facts for the file's Exif segment.
    func exif(of still: Still, software: String) -> ExifFacts {
        ExifFacts(
            date: date, secondsFromGMT: LocalTime.secondsFromGMT(at: date), size: still.frame.size,
            rotation: rotation, isMirrored: isMirrored,
            make: make, model: model, software: software, imageDescription: still.role,
            exposureTime: exposureTime, isExposureAutomatic: isExposureAutomatic,
            isWhiteBalanceAutomatic: isWhiteBalanceAutomatic)
    }
}
