public import Foundation
public import Media

/// What a still says of how it was taken, for its Exif segment. What is `nil` or empty is left out.
public struct ExifFacts: Sendable, Equatable {
    /// When the exposure began.
    public var date: Date
    /// Of the clock on the wall where it was taken.
    public var zone: TimeZone
    /// Of the stored frame.
    public var size: FrameSize
    /// Turns the stored frame clockwise to be seen upright.
    public var rotation: Rotation
    /// Whether left and right are swapped, after turning.
    public var isMirrored: Bool
    public var make: String
    public var model: String
    public var software: String
    /// What the frame shows, in a word: the camera's role.
    public var imageDescription: String
    public var exposureTime: Nanoseconds?
    /// Whether the camera chose the exposure by itself; `nil`: not known.
    public var isExposureAutomatic: Bool?
    public var isWhiteBalanceAutomatic: Bool?

    public init(
        date: Date, zone: TimeZone, size: FrameSize, rotation: Rotation = .none, isMirrored: Bool = false,
        make: String = "", model: String = "", software: String = "", imageDescription: String = "",
        exposureTime: Nanoseconds? = nil, isExposureAutomatic: Bool? = nil,
        isWhiteBalanceAutomatic: Bool? = nil
    ) {
        self.date = date
        self.zone = zone
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
