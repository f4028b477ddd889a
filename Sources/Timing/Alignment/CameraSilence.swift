package import MulticamMedia

/// The limit after which a camera without frames counts as silent.
package enum CameraSilence {
    /// Time for which the last frame is repeated while a camera delivers no frames. After this time, tracks show a
    /// slate, and the camera counts as silent if it hasn't reported an outage.
    package static let limit: Nanoseconds = .seconds(1)
}
