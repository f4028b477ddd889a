/// A kind of thing that a session can give up when it is short of a resource.
package enum Concession: Hashable, CaseIterable {
    /// The effort of an encoder: its file grows, or shows a little less detail.
    case preset
    /// Frames for programs that only show them.
    case previews
    /// Raw frames, which become JPEGs of the same size and rate.
    case rawFrames
    /// The size of a camera that nobody records, down to the size of the inset that shows it.
    case surplusSize
    /// The sharpness of the program: its JPEGs are decoded at half of the size at which they are shown.
    case decoding
    /// New frames of the program.
    case programRate
    /// New frames of the program altogether: its last frame stands until it goes on.
    case programPause
    /// New frames of an encoded track.
    case trackRate
    /// The size of a camera's frames.
    case cameraSize
    /// The rate of a camera's frames.
    case cameraRate
    /// A whole camera.
    case camera

    /// The order of concessions before a plan runs, the least regretted first. A lower rate is noticed by everybody who watches,
    /// so that sizes go before rates.
    static let beforeStart: [Concession] = [
        .rawFrames, .preset, .surplusSize, .decoding, .programRate, .cameraSize, .cameraRate,
    ]

    /// The order of concessions while a session runs, the least regretted first. Rates go before sizes here: a camera's other
    /// rate leaves its copied track in one file, another size does not.
    package static let whileRunning: [Concession] = [
        .preset, .previews, .decoding, .programRate, .programPause, .trackRate, .cameraRate, .cameraSize,
        .camera,
    ]
}
