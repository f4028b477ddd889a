internal import Media

/// The explanation of one cause in the loss ledger for people: why it happened, and what helps next time.
///
/// Both texts are clauses without a capital letter and without a full stop: `the computer was too slow`, `set …`.
struct LossExplanation: Equatable {
    let cause: String
    let remedy: String

    private static let lighter =
        "set `preset: ultrafast`, or a smaller `size` or lower `rate` (`multicam plan` shows what each costs)"

    private init(_ cause: String, remedy: String) {
        self.cause = cause
        self.remedy = remedy
    }

    /// The explanation of a cause.
    ///
    /// - Parameters:
    ///   - cause: Cause from the ledger.
    ///   - isProgram: Whether the program lost the frames. The governor takes frames of the program where the computer is too
    ///     slow; it may take frames of a camera because of another shortage.
    init(_ cause: LossCause, isProgram: Bool = false) {
        self =
            switch cause {
            case .bus:
                Self(
                    "the connection to the device lost data",
                    remedy: "plug the device into another USB port, best on a controller of its own "
                        + "(`multicam devices` lists them)")
            case .driver:
                Self(
                    "the device's driver failed or had no free buffer",
                    remedy: "close other programs, and look into the kernel's log (`journalctl -k`)")
            case .corrupt:
                Self(
                    "the device delivered damaged data",
                    remedy: "use another cable or another USB port for the device")
            case .exposure:
                Self(
                    "the camera slowed down in dim light",
                    remedy: "use more light, or set the camera's control `exposure_dynamic_framerate` to 0")
            case .late:
                Self(
                    "data came too late to be used",
                    remedy: "close other programs while recording (`multicam doctor` looks at the computer)")
            case .encoder:
                Self("the computer was too slow", remedy: Self.lighter)
            case .disk:
                Self("the disk was too slow or full", remedy: "record to another disk (`--output DIR`)")
            case .governor:
                Self(
                    isProgram ? "the computer was too slow" : "frames were left out to relieve the computer",
                    remedy: Self.lighter)
            case .change:
                Self(
                    "somebody changed the device or switched it off",
                    remedy: "make such changes between recordings")
            case .network:
                Self(
                    "the network to the camera lost data or was away",
                    remedy: "use a cable, a faster network, or a lower bit rate of the camera")
            case .away:
                Self(
                    "the device was unplugged or delivered nothing",
                    remedy: "check the device's cable and port")
            }
    }
}
