import Media

extension VideoEncodingSettings.Preset {
    /// Name of the x264 preset that this preset is, or builds on.
    var x264Name: String { self == .balanced ? Self.ultrafast.rawValue : rawValue }

    /// x264 options in addition to the preset, as `x264-params` spells them (x264's `param_apply_preset` in
    /// common/base.c lists what presets set).
    ///
    /// - Parameter origin: The preset that the stream began with. Coding tools that its parameter sets name must stay
    ///   on, or the parameter sets would change.
    /// - Returns: Names and values; none where x264's preset is all.
    func x264Parameters(continuing origin: Self) -> [String] {
        var parameters: [String] = []
        // Options that cost little and save much: arithmetic coding, deblocking, small intra blocks, and fewer bits for busy
        // areas. No B-frames: noise does not predict noise.
        if self == .balanced {
            parameters += [
                "cabac=1", "8x8dct=1", "no-deblock=0", "deblock=0,0", "partitions=i8x8,i4x4", "subme=1",
                "aq-mode=1",
                "aq-strength=0.4",
            ]
        }
        // ultrafast stays fast: it searches little and does not deblock.
        if self == .ultrafast, origin != .ultrafast { parameters += ["cabac=1", "8x8dct=1"] }
        if x264Name == Self.ultrafast.rawValue, origin.x264Name != Self.ultrafast.rawValue {
            parameters += ["bframes=3", "b-adapt=0", "b-pyramid=normal", "weightp=1", "weightb=1", "ref=1"]
        }
        return parameters
    }

    /// x264 options that bound how many frames the encoder holds back, which a crash loses: lookahead of at most 0.2 s,
    /// and no lookahead thread (`sync-lookahead`). B-frames and the second thread hold back four more frames.
    ///
    /// - Parameter rate: Frame rate of the stream's ticks.
    /// - Returns: Names and values, as `x264-params` spells them.
    func x264ParametersOfHolding(at rate: FrameRate) -> [String] {
        // x264's `param_apply_preset` in common/base.c: of the presets here only veryfast looks ahead.
        let usual = self == .veryfast ? 10 : 0
        return ["sync-lookahead=0", "rc-lookahead=\(min(usual, Int(rounding: rate.perSecond * 0.2, .up)))"]
    }
}
