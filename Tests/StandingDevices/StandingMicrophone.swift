package import MulticamMedia

/// A microphone that delivers no events.
package struct StandingMicrophone: DetailedMicrophoneSource {
    package let device: CaptureDevice
    package let format: AudioFormat
    package let deliveryDelay = Nanoseconds.zero

    /// - Parameters:
    ///   - format: The format of the microphone.
    ///   - name: The microphone's name, which is also its selector.
    package init(_ format: AudioFormat = AudioFormat(rate: 48_000, channels: 1), name: String = "microphone")
    {
        self.format = format
        device = CaptureDevice(
            mediaType: .audio, deviceType: .external, identity: DeviceIdentity(name: name), name: name,
            node: name, selector: name, formats: [])
    }

    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) {}
    package func stop() {}
}
