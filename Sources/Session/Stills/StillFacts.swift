internal import Containers
public import Foundation
public import Media

/// What is known of the camera and the moment of a still.
public struct StillFacts: Sendable, Equatable {
    /// When the exposure began.
    public var date: Date
    /// Turns the stored frame clockwise to be seen upright.
    public var rotation: Rotation
    public var isMirrored: Bool
    /// Of the camera, as it says; empty where it says nothing.
    public var make: String
    public var model: String
    /// Only where the camera's control tells it: in manual exposure, or where the driver reads it from the camera each time.
    public var exposureTime: Nanoseconds?
    public var isExposureAutomatic: Bool?
    public var isWhiteBalanceAutomatic: Bool?

    /// - Parameters:
    ///   - date: When the exposure began.
    ///   - device: The camera.
    ///   - rotation: As of the property.
    ///   - isMirrored: Whether the profile mirrors the camera.
    ///   - controls: As the camera has them now.
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
            // In 100 µs (kernel documentation, ext-ctrls-camera).
            exposureTime = .microseconds(100) * time.value
        }
    }

    /// For the file's Exif segment.
    func exif(of still: Still, zone: TimeZone, software: String) -> ExifFacts {
        ExifFacts(
            date: date, zone: zone, size: still.frame.size, rotation: rotation, isMirrored: isMirrored,
            make: make, model: model, software: software, imageDescription: still.role,
            exposureTime: exposureTime, isExposureAutomatic: isExposureAutomatic,
            isWhiteBalanceAutomatic: isWhiteBalanceAutomatic)
    }
}
