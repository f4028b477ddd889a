public import FoundationEssentials
public import Media

/// The circumstances of a still, for its Exif segment. Fields that are `nil` or empty are left out.
public struct ExifFacts: Sendable, Equatable {
    /// Instant at which the exposure began.
    public var date: Date
    /// How far the local time that the segment tells is ahead of universal time, in seconds.
    public var secondsFromGMT: Int
    /// Size of the stored frame in pixels, before turning.
    public var size: FrameSize
    /// Clockwise rotation that makes the stored frame upright.
    public var rotation: Rotation
    /// Whether left and right are swapped after turning.
    public var isMirrored: Bool
    /// Manufacturer of the camera.
    public var make: String
    /// Model of the camera.
    public var model: String
    /// Program that wrote the still.
    public var software: String
    /// Content of the frame in a word: the camera's role.
    public var imageDescription: String
    /// Exposure time; `nil` where it is not known.
    public var exposureTime: Nanoseconds?
    /// Whether the camera chose the exposure by itself; `nil` where it is not known.
    public var isExposureAutomatic: Bool?
    /// Whether the camera chose the white balance by itself; `nil` where it is not known.
    public var isWhiteBalanceAutomatic: Bool?

    /// Creates the facts; those that are left out are not known.
    public init(
        date: Date, secondsFromGMT: Int, size: FrameSize, rotation: Rotation = .none,
        isMirrored: Bool = false,
        make: String = "", model: String = "", software: String = "", imageDescription: String = "",
        exposureTime: Nanoseconds? = nil, isExposureAutomatic: Bool? = nil,
        isWhiteBalanceAutomatic: Bool? = nil
    ) {
        self.date = date
        self.secondsFromGMT = secondsFromGMT
        self.size = size
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.make = make
        self.model = model
        self.software = software
        self.imageDescription = imageDescription
        self.exposureTime = exposureTime
        self.isExposureAutomatic = isExposureAutomatic
        self.isWhiteBalanceAutomatic = isWhiteBalanceAutomatic
    }
}
