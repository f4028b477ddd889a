enum FuzzTargets {
    static let all: [any FuzzTarget.Type] = [
        TerminalText.self, SelectorWords.self, SystemTables.self, DescriptorBytes.self, CodedFrame.self,
        ProfileText.self, StateText.self, ManifestText.self, CameraFrame.self, MovieBytes.self,
        WaveBytes.self, HostText.self, SysfsText.self, EventLines.self, MovieRemainder.self,
        WaveRemainder.self, SessionRemainder.self, SensorText.self, MediaBytes.self,
        CutText.self, GroupText.self, PhoneBytes.self,
    ]
}
