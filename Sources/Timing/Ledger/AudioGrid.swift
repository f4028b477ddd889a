package import Media

/// The grids on which a recording's audio lies. Both begin at T0.
package enum AudioGrid {
    /// Blocks of 20 ms, in which audio is mixed and alarms are looked for.
    package static let blocks = FrameRate(50, per: 1)
    /// Samples: sample *n* is T0 + n/48 000 s.
    package static let samples = FrameRate(Int64(AudioFormat.sessionRate))
    /// The number of channels of the program's audio. A stereo microphone's channels go to one each; a single channel goes to
    /// both, and so does the mean of three and more, which are no left and right.
    package static let mixChannels = 2
}
