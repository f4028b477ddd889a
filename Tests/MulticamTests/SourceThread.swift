import MulticamMedia

extension SessionClock {
    /// Starts the thread of a test's custom device.
    func startDeviceThread(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(DeviceError) -> MediaThread {
        do throws(ThreadError) {
            return try startThread(named: name, body)
        } catch {
            throw DeviceError(device: name, operation: "starting", error)
        }
    }
}
